use futures_util::stream;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;

/// Bytes that are on their way and that nobody took yet.
const PIPE_BYTES: usize = 1024;

struct Conversation {
    client: WebSocketStream<DuplexStream>,
    /// Says events; dropping it ends the watch.
    events: mpsc::Sender<Bytes>,
    ended: JoinHandle<()>,
}

async fn begin(form: Form) -> Conversation {
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let (events, told) = mpsc::channel(16);
    let told = stream::unfold(told, |mut told| async { told.recv().await.map(|e| (e, told)) });
    let ended = tokio::spawn(send(theirs, told, form));
    let client = WebSocketStream::from_raw_socket(ours, Role::Client, None).await;
    Conversation { client, events, ended }
}

/// The code with which the server said goodbye.
async fn closing_code(client: &mut WebSocketStream<DuplexStream>) -> Option<CloseCode> {
    while let Some(Ok(message)) = client.next().await {
        if let Message::Close(frame) = message {
            return frame.map(|frame| frame.code);
        }
    }
    None
}

#[tokio::test(start_paused = true)]
async fn each_event_is_a_message() {
    let mut talk = begin(Form::Text).await;
    for text in ["{}\n", "{\"a\":1}\n"] {
        talk.events.send(text.into()).await.unwrap();
        assert_eq!(talk.client.next().await.unwrap().unwrap(), Message::text(text));
    }
    let mut talk = begin(Form::Binary).await;
    talk.events.send(Bytes::from_static(&[0xff, 0])).await.unwrap();
    let message = talk.client.next().await.unwrap().unwrap();
    assert_eq!(message, Message::binary(&[0xff, 0][..]));
}

#[tokio::test(start_paused = true)]
async fn events_may_be_larger_than_what_clients_may_say() {
    let mut talk = begin(Form::Text).await;
    let large = "x".repeat(4 * HEARD_BYTES_MAX);
    talk.events.send(large.clone().into()).await.unwrap();
    assert_eq!(talk.client.next().await.unwrap().unwrap(), Message::text(large));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_watch_is_a_normal_goodbye() {
    let mut talk = begin(Form::Text).await;
    drop(talk.events);
    assert_eq!(closing_code(&mut talk.client).await, Some(CloseCode::Normal));
    let start = Instant::now();
    assert!(talk.client.next().await.is_none());
    talk.ended.await.unwrap();
    assert!(start.elapsed() < CLOSE_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_ends_the_watch() {
    let mut talk = begin(Form::Text).await;
    talk.client.close(None).await.unwrap();
    assert_eq!(talk.client.next().await.unwrap().unwrap(), Message::Close(None));
    talk.ended.await.unwrap();
    assert!(talk.events.is_closed());

    let Conversation { client, events, ended } = begin(Form::Text).await;
    drop(client);
    ended.await.unwrap();
    assert!(events.is_closed());
}

#[tokio::test(start_paused = true)]
async fn pings_are_answered_and_what_clients_say_is_ignored() {
    let mut talk = begin(Form::Text).await;
    talk.client.send(Message::text("hello")).await.unwrap();
    talk.client.send(Message::Ping("are you there".into())).await.unwrap();
    let pong = talk.client.next().await.unwrap().unwrap();
    assert_eq!(pong, Message::Pong("are you there".into()));
    talk.events.send("{}\n".into()).await.unwrap();
    assert_eq!(talk.client.next().await.unwrap().unwrap(), Message::text("{}\n"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_too_much_is_told_so() {
    let talk = begin(Form::Text).await;
    let (mut sink, mut stream) = talk.client.split();
    let sending = tokio::spawn(async move {
        // The server need not read to the end.
        drop(sink.send(Message::text("x".repeat(HEARD_BYTES_MAX + 1))).await);
        sink
    });
    let mut code = None;
    while let Some(Ok(message)) = stream.next().await {
        if let Message::Close(frame) = message {
            code = frame.map(|frame| frame.code);
        }
    }
    assert_eq!(code, Some(CloseCode::Size));
    talk.ended.await.unwrap();
    talk.events.closed().await;
    let _sink = sending.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn frames_that_are_not_masked_break_the_protocol() {
    let (mut ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let ended = tokio::spawn(send(theirs, stream::pending(), Form::Text));
    // A text of no bytes, without a mask.
    ours.write_all(&[0x81, 0]).await.unwrap();
    let mut client = WebSocketStream::from_raw_socket(ours, Role::Client, None).await;
    assert_eq!(closing_code(&mut client).await, Some(CloseCode::Protocol));
    drop(client);
    ended.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_is_left_after_a_while() {
    let talk = begin(Form::Text).await;
    let start = Instant::now();
    talk.events.send("x".repeat(4 * PIPE_BYTES).into()).await.unwrap();
    talk.ended.await.unwrap();
    assert!(start.elapsed() >= SEND_MAX && start.elapsed() < 2 * SEND_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_says_goodbye_is_not_waited_for() {
    let talk = begin(Form::Text).await;
    let start = Instant::now();
    drop(talk.events);
    talk.ended.await.unwrap();
    assert!(start.elapsed() >= CLOSE_MAX && start.elapsed() < 2 * CLOSE_MAX);
}
