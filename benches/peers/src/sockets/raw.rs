//! Length and bytes, by hand: without any credit, and with.

use super::Peer;
use super::connection::{Socket, Transfer};
use bytes::{Buf, Bytes};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, BufWriter, split};
use tokio::sync::Semaphore;

/// From here on a chunk is worth a system call of its own.
const LARGE: usize = 16 << 10;

/// Nothing but the bytes: no credit, one buffer for all chunks. The limit.
pub struct Raw;

impl Peer for Raw {
    const NAME: &'static str = "raw";

    async fn produce(socket: Socket, transfer: Transfer) -> Box<dyn Send> {
        let mut writer = BufWriter::with_capacity(buffer(&transfer), socket);
        for _ in 0..transfer.chunks {
            write_chunk(&mut writer, &transfer.chunk).await;
        }
        writer.flush().await.expect("written");
        Box::new(writer)
    }

    async fn consume(socket: Socket, transfer: Transfer) {
        let (mut reader, mut chunk) = (BufReader::with_capacity(buffer(&transfer), socket), Vec::new());
        for _ in 0..transfer.chunks {
            read_chunk(&mut reader, &mut chunk).await;
            transfer.work(&chunk);
        }
    }
}

/// Credit as one would write it by hand: a semaphore at the producer, one byte back for each half window.
pub struct HandCredit;

impl Peer for HandCredit {
    const NAME: &'static str = "raw+hand-credit";

    async fn produce(socket: Socket, transfer: Transfer) -> Box<dyn Send> {
        let (mut reader, writer) = split(socket);
        let credit = Arc::new(Semaphore::new(transfer.window as usize));
        let returned = Arc::clone(&credit);
        let acks = tokio::spawn(async move {
            let mut bytes = [0; 256];
            while let Ok(count @ 1..) = reader.read(&mut bytes).await {
                returned.add_permits(bytes[..count].iter().map(|&byte| usize::from(byte)).sum());
            }
        });
        let mut writer = BufWriter::with_capacity(buffer(&transfer), writer);
        for _ in 0..transfer.chunks {
            match credit.try_acquire() {
                Ok(permit) => permit.forget(),
                Err(_) => {
                    writer.flush().await.expect("written");
                    credit.acquire().await.expect("open").forget();
                }
            }
            write_chunk(&mut writer, &transfer.chunk).await;
        }
        writer.flush().await.expect("written");
        Box::new((writer, acks))
    }

    async fn consume(socket: Socket, transfer: Transfer) {
        let (reader, mut writer) = split(socket);
        let (mut reader, mut chunk) = (BufReader::with_capacity(buffer(&transfer), reader), Vec::new());
        let mut done: u8 = 0;
        for _ in 0..transfer.chunks {
            read_chunk(&mut reader, &mut chunk).await;
            transfer.work(&chunk);
            done += 1;
            if u32::from(done) * 2 >= transfer.window.min(256) {
                writer.write_all(&[done]).await.expect("written");
                done = 0;
            }
        }
    }
}

/// For large chunks the buffer holds their length alone.
fn buffer(transfer: &Transfer) -> usize {
    if transfer.chunk.len() < LARGE { 64 << 10 } else { 4 }
}

async fn write_chunk<W: AsyncWrite + Unpin>(writer: &mut BufWriter<W>, chunk: &Bytes) {
    let length = (chunk.len() as u32).to_le_bytes();
    if chunk.len() < LARGE || !writer.get_ref().is_write_vectored() {
        writer.write_all(&length).await.expect("written");
        writer.write_all(chunk).await.expect("written");
    } else {
        let mut both = Buf::chain(&length[..], chunk.clone());
        writer.get_mut().write_all_buf(&mut both).await.expect("written");
    }
}

async fn read_chunk<R: AsyncRead + Unpin>(reader: &mut BufReader<R>, chunk: &mut Vec<u8>) {
    let length = reader.read_u32_le().await.expect("a length");
    chunk.resize(length as usize, 0);
    reader.read_exact(chunk).await.expect("a chunk");
}
