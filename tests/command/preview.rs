//! `--preview terminal` shows the picture as text. For `--preview tev`, a strict decoder of tev's protocol
//! (`src/Ipc.cpp` and `include/tev/Ipc.h` of <https://github.com/Tom94/tev>) receives the written image; misbehaving
//! viewers have no effect.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::program::{HANG, has_denoiser, kiln, message, plane, run, scene_folder};
use renderer::image::{read, read_channels};

const SCENE: &str = "film { size = (300, 140); }
sampler { spp = 4; }
camera main : perspective { from = (0, 1, 4); to = (0, 0.5, 0); }
material grey = matte(albedo = (0.5, 0.4, 0.3));
light sky : environment { color = 0.5; }
shape ball : sphere { center = (0, 0.5, 0); radius = 0.5; material = grey; }
";

/// An image in the viewer: values by channel.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    width: usize,
    height: usize,
    channels: BTreeMap<String, Vec<f32>>,
}

/// Messages that a viewer received over one connection.
#[derive(Clone, Debug, Default)]
struct Session {
    images: BTreeMap<String, Shown>,
    creations: usize,
    /// Number of updates of each tile, by its corner.
    tiles: BTreeMap<[usize; 2], usize>,
}

/// The contents of a message, read from the front.
struct Payload<'a>(&'a [u8]);

impl Payload<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("the message is long enough");
        self.0 = rest;
        *bytes
    }

    fn flag(&mut self) -> bool {
        let [byte] = self.bytes();
        assert!(byte < 2, "a truth value is 0 or 1");
        byte == 1
    }

    fn text(&mut self) -> String {
        let end = self.0.iter().position(|&byte| byte == 0).expect("a text ends");
        let text = String::from_utf8(self.0[..end].to_vec()).expect("UTF-8");
        self.0 = &self.0[end + 1..];
        text
    }

    fn long(&mut self) -> usize {
        usize::try_from(u64::from_le_bytes(self.bytes())).expect("it fits the memory")
    }

    fn number(&mut self) -> usize {
        usize::try_from(i32::from_le_bytes(self.bytes())).expect("no number is negative")
    }
}

impl Session {
    /// Parses a message without its length field.
    fn take(&mut self, message: &[u8]) {
        let mut payload = Payload(message);
        let [kind] = payload.bytes();
        let focus = payload.flag();
        let name = payload.text();
        match kind {
            4 => {
                assert!(focus, "a new picture is shown");
                let (width, height) = (payload.number(), payload.number());
                let names = (0..payload.number()).map(|_| payload.text());
                let channels = names.map(|name| (name, vec![0.0; width * height])).collect();
                let image = Shown { width, height, channels };
                self.images.insert(name, image);
                self.creations += 1;
            }
            6 => {
                assert!(!focus, "an update does not take the focus");
                let image = self.images.get_mut(&name).expect("the image is there");
                let names: Vec<String> = (0..payload.number()).map(|_| payload.text()).collect();
                let [x, y, width, height] = std::array::from_fn(|_| payload.number());
                assert!(width > 0 && height > 0 && x + width <= image.width && y + height <= image.height);
                let mut places = || -> Vec<usize> { names.iter().map(|_| payload.long()).collect() };
                let (offsets, strides) = (places(), places());
                let ends = offsets.iter().zip(&strides);
                let count = 1 + ends.map(|(at, step)| at + (width * height - 1) * step).max().unwrap();
                let data: Vec<f32> = (0..count).map(|_| f32::from_le_bytes(payload.bytes())).collect();
                for ((name, at), step) in names.iter().zip(offsets).zip(strides) {
                    let values = image.channels.get_mut(name).expect("the channel is there");
                    for (i, value) in data[at..].iter().step_by(step).take(width * height).enumerate() {
                        values[(y + i / width) * image.width + x + i % width] = *value;
                    }
                }
                *self.tiles.entry([x, y]).or_default() += 1;
            }
            _ => panic!("messages of kind {kind} are not sent"),
        }
        assert!(payload.0.is_empty(), "{} bytes too many", payload.0.len());
    }

    /// Reads messages until the connection ends or `most` have arrived.
    fn read(mut stream: TcpStream, most: usize) -> Session {
        let mut session = Session::default();
        for _ in 0..most {
            if !session.take_next(&mut stream) {
                break;
            }
        }
        session
    }

    /// Reads messages until the connection ends; returns the session when `is_early` was last true, and the final one.
    fn read_while(mut stream: TcpStream, is_early: impl Fn() -> bool) -> (Session, Session) {
        let (mut early, mut session) = (Session::default(), Session::default());
        while session.take_next(&mut stream) {
            if is_early() {
                early = session.clone();
            }
        }
        (early, session)
    }

    /// Reads the next message. Returns false at the end of the connection.
    fn take_next(&mut self, stream: &mut TcpStream) -> bool {
        let mut length = [0; 4];
        match stream.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return false,
            Err(error) => panic!("{error}"),
        }
        let mut message = vec![0; u32::from_le_bytes(length) as usize - 4];
        stream.read_exact(&mut message).expect("a message is whole");
        self.take(&message);
        true
    }
}

/// Accepts `connections` connections in turn and passes each to `serve`.
fn listen<T: Send + 'static>(
    address: &str,
    serve: impl Fn(TcpStream) -> T + Send + 'static,
    connections: usize,
) -> (String, JoinHandle<Vec<T>>) {
    let listener = TcpListener::bind(address).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let serve = move || (0..connections).map(|_| serve(listener.accept().unwrap().0)).collect();
    (address, thread::spawn(serve))
}

/// Expects the viewer's image to equal the written EXR.
fn shows(session: &Session, folder: &Path, name: &str) {
    let shown = &session.images[name];
    let written = read(&folder.join(name)).unwrap();
    assert_eq!((shown.width, shown.height), (written.width, written.height));
    for (channel, name) in ["R", "G", "B"].into_iter().enumerate() {
        let written = written.data.iter().skip(channel).step_by(3);
        let shown = shown.channels[name].iter();
        assert!(shown.eq(written), "channel {name} differs");
    }
}

#[test]
fn the_viewer_shows_what_is_written() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        if address.starts_with('[') && TcpListener::bind(address).is_err() {
            continue;
        }
        let folder = scene_folder(SCENE);
        let at = folder.path();
        let (address, viewer) = listen(address, |stream| Session::read(stream, usize::MAX), 1);
        let output = run(at, &format!("render a.kiln -o a.exr --spp 200 --preview tev={address}"));
        assert!(output.status.success(), "{}", message(&output));
        assert!(!message(&output).contains("preview"), "{}", message(&output));
        let session = &viewer.join().unwrap()[0];
        shows(session, at, "a.exr");
        assert_eq!(session.creations, 1);
        assert_eq!(session.tiles.len(), 6);
        assert!(session.tiles.values().max() > Some(&1), "only the end was shown");
        // Tiles of the sky alone are constant after the first pass and are not sent again.
        assert!(
            session.tiles.values().min() < session.tiles.values().max(),
            "{:?}",
            session.tiles
        );
        assert!(run(at, "render a.kiln -o b.exr --spp 200").status.success());
        assert_eq!(fs::read(at.join("a.exr")).unwrap(), fs::read(at.join("b.exr")).unwrap());
    }
}

#[test]
fn tiles_are_shown_during_the_first_pass() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let slow = "surface slow() { float sum = 0; for (int i = 0; i < 300; i++) sum += noise(P * i); \
                Ci = (0.5 + 0.001 * sum) * emission(); }\n";
    fs::write(at.join("slow.ksl"), slow).unwrap();
    let scene = "import \"slow.ksl\";\nfilm { size = (300, 140); }\nmaterial wall = slow();\n\
                 camera main : perspective { from = (0, 0, 4); to = (0, 0, 0); }\n\
                 shape sheet : rectangle { size = 20; material = wall; }\n";
    fs::write(at.join("slow.kiln"), scene).unwrap();
    // The file is written after the only pass, and before the finished picture is shown.
    for more in ["", "--noise 0.5"] {
        let picture = at.join("slow.exr");
        let serve = move |stream: TcpStream| {
            let early = Session::read(stream.try_clone().unwrap(), 3);
            let is_late = picture.exists();
            io::copy(&mut { stream }, &mut io::sink()).unwrap();
            (is_late, early)
        };
        let (address, viewer) = listen("127.0.0.1:0", serve, 1);
        let line = format!("render slow.kiln -o slow.exr --spp 1 {more} --preview tev={address}");
        let output = run(at, &line);
        assert!(output.status.success(), "{}", message(&output));
        let (is_late, early) = viewer.join().unwrap().remove(0);
        assert!(!is_late, "the first tiles came with the finished picture");
        let shown = &early.images["slow.exr"];
        let written = read(&at.join("slow.exr")).unwrap();
        let mut same = 0;
        for (shown, written) in shown.channels["R"].iter().zip(written.data.chunks(written.channels)) {
            assert!(*shown == 0.0 || *shown == written[0], "{shown} is not {}", written[0]);
            same += u32::from(*shown != 0.0);
        }
        assert!(same >= 256, "{same} pixels");
        assert!(same < 300 * 140, "there were no tiles");
        fs::remove_file(at.join("slow.exr")).unwrap();
    }
}

/// A viewer shows denoised pictures during the render and the written one at the end; also for a render that writes
/// only a part, which contains the noisy sums.
#[test]
fn denoised_pictures_are_shown_during_the_render() {
    if !has_denoiser() {
        return;
    }
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let room = "material lamp = emitter(radiance = 400);
        shape room : sphere { radius = 8; material = grey; }
        shape bulb : sphere { center = (0, 3, 6); radius = 0.05; material = lamp; }
        integrator : path { light_samples = 1; split = 1; guide = false; }\n";
    fs::write(at.join("a.kiln"), format!("{SCENE}{room}")).unwrap();
    for (name, merge) in [("a.exr", ""), ("a.part", "merge a.part -o a.exr")] {
        let written = at.join(name);
        let serve = move |stream: TcpStream| Session::read_while(stream, || !written.exists());
        let (address, viewer) = listen("127.0.0.1:0", serve, 1);
        // Large enough to be noisy at the end, and to be denoised after the first second.
        let line = format!(
            "render a.kiln -o {name} --size 600x280 --spp 1000000 --time 3s --denoise --preview tev={address}"
        );
        let output = run(at, &line);
        assert!(output.status.success(), "{}", message(&output));
        let (early, late) = viewer.join().unwrap().remove(0);
        assert!(merge.is_empty() || run(at, merge).status.success());
        let file = read_channels(&at.join("a.exr")).unwrap();
        let layer = if merge.is_empty() { "noisy.G" } else { "G" };
        let noisy = variation(plane(&file, layer));
        for (when, session) in [("during", early), ("after", late)] {
            let shown = variation(&session.images[name].channels["G"]);
            assert!(shown < 0.7 * noisy, "{name}: {shown} {when} the render, {noisy} with noise");
        }
        fs::remove_file(at.join("a.exr")).unwrap();
    }
}

/// Sum of the differences of neighbouring pixels, a measure of noise.
fn variation(values: &[f32]) -> f32 {
    values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum()
}

#[test]
fn a_crop_is_shown_by_itself() {
    let folder = scene_folder(SCENE);
    let (address, viewer) = listen("127.0.0.1:0", |stream| Session::read(stream, usize::MAX), 1);
    let line = format!("render a.kiln -o c.exr --crop 10,20,60,50 --preview tev={address}");
    assert!(run(folder.path(), &line).status.success());
    let session = &viewer.join().unwrap()[0];
    shows(session, folder.path(), "c.exr");
    assert_eq!(session.images["c.exr"].width, 50);
}

#[test]
fn without_a_viewer_the_render_continues_after_one_message() {
    let folder = scene_folder(SCENE);
    // A port without a listener.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for (flags, remarks) in [("", 1), ("--quiet", 0)] {
        let start = Instant::now();
        let line = format!("render a.kiln -o a.exr --preview tev=localhost:{port} {flags}");
        let output = run(folder.path(), &line);
        let text = message(&output);
        assert!(output.status.success(), "{text}");
        assert_eq!(text.matches("preview: no viewer at localhost").count(), remarks, "{text}");
        assert_eq!(text.matches("preview").count(), remarks, "{text}");
        assert!(start.elapsed() < HANG);
    }
    let output = run(folder.path(), "render a.kiln -o a.exr --preview tev=no-such-host.invalid");
    assert!(output.status.success());
    assert!(message(&output).contains("no viewer at no-such-host.invalid:14158"));
}

#[test]
fn a_restarted_viewer_is_connected_again() {
    let folder = scene_folder(SCENE);
    let mut first = true;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let viewer = thread::spawn(move || {
        loop {
            let stream = listener.accept().unwrap().0;
            // The first viewer closes the connection within a message.
            if std::mem::take(&mut first) {
                Session::read(stream.try_clone().unwrap(), 2);
                let _ = { stream }.read(&mut [0; 100]);
                continue;
            }
            return Session::read(stream, usize::MAX);
        }
    });
    let line = format!("render a.kiln -o a.exr --spp 100000 --threads 1 --time 6s --preview tev={address}");
    let output = run(folder.path(), &line);
    let text = message(&output);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("preview: the viewer at").count(), 1, "{text}");
    let session = viewer.join().unwrap();
    assert_eq!(session.creations, 1);
    shows(&session, folder.path(), "a.exr");
}

#[test]
fn a_hanging_viewer_does_not_delay_the_render() {
    let folder = scene_folder(SCENE);
    // The viewer keeps the connection open, but reads no data until the render ends.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let line = format!("render a.kiln -o a.exr --spp 1 --size 1400x1400 --preview tev={address}");
    let start = Instant::now();
    let output = run(folder.path(), &line);
    assert!(output.status.success(), "{}", message(&output));
    assert!(
        message(&output).contains("preview: the viewer did not take the finished picture"),
        "{}",
        message(&output)
    );
    assert!(start.elapsed() < HANG, "{:?}", start.elapsed());
    assert!(folder.path().join("a.exr").is_file());
    drop(listener);
}

#[test]
fn a_server_of_another_protocol_does_not_stop_the_render() {
    let folder = scene_folder(SCENE);
    // A server of another protocol answers and closes the connection, repeatedly.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = io::Write::write_all(&mut stream.unwrap(), b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let line = format!("render a.kiln -o a.exr --spp 100000 --threads 1 --time 5s --preview tev={address}");
    let output = run(folder.path(), &line);
    let text = message(&output);
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("is gone").count(), 1, "{text}");
}

#[test]
fn invalid_addresses_are_command_line_errors() {
    let folder = scene_folder(SCENE);
    for viewer in ["mitsuba", "tev=", "tev=:1", "tev=a:0", "tev=a:70000", "tev=[::1"] {
        let output = kiln(folder.path(), "render a.kiln --preview").arg(viewer).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{viewer}: {}", message(&output));
        assert!(!folder.path().join("a.png").exists());
    }
}

/// The terminal shows the written picture, two pixels per character; output that is not a terminal gets no escape
/// codes.
#[test]
fn the_terminal_shows_what_is_written() {
    let folder = scene_folder(SCENE);
    let at = folder.path();
    let line = "render a.kiln -o a.png --size 40x30 --tone-map agx --exposure 1 --preview terminal";
    let output = kiln(at, line)
        .env("CLICOLOR_FORCE", "1")
        .env("COLORTERM", "truecolor")
        .output()
        .unwrap();
    let text = message(&output);
    assert!(output.status.success(), "{text}");
    // The final picture is drawn over the earlier ones.
    let last = text.rsplit("\x1b[15A").next().unwrap();
    let pictures = text.matches("\x1b[15A").count() + 1;
    assert_eq!(text.lines().filter(|line| line.contains('▀')).count(), 15 * pictures, "{text}");
    let lines: Vec<&str> = last.lines().filter(|line| line.contains('▀')).collect();
    assert_eq!(lines.len(), 15, "{text}");
    let written = image::open(at.join("a.png")).unwrap().into_rgb8();
    for (row, line) in lines.iter().enumerate() {
        let mut colors = [[0u8; 3]; 2];
        let mut column = 0;
        for part in line.split_inclusive('▀') {
            for code in part.split('\x1b') {
                let numbers = code.trim_start_matches('[').split(['m', ';']);
                let numbers: Vec<u8> = numbers.map_while(|number| number.parse().ok()).collect();
                if let [layer, 2, r, g, b] = numbers[..] {
                    colors[usize::from(layer == 48)] = [r, g, b];
                }
            }
            if !part.ends_with('▀') {
                continue;
            }
            for (half, color) in colors.iter().enumerate() {
                let pixel = written.get_pixel(column, 2 * row as u32 + half as u32).0;
                assert_eq!(*color, pixel, "{column}, {row}, {half}");
            }
            column += 1;
        }
        assert_eq!(column, 40);
    }

    let output = run(at, "render a.kiln -o b.png --size 40x30 --preview terminal");
    let text = message(&output);
    assert!(output.status.success() && at.join("b.png").is_file(), "{text}");
    assert!(text.contains("preview: standard error is not a terminal"), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
}
