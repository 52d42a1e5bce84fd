//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Runs a command.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    static STOP: AtomicBool = AtomicBool::new(false);
    let _ = ctrlc::set_handler(|| STOP.store(true, std::sync::atomic::Ordering::Relaxed));
    let args: Vec<String> = args.into_iter().filter_map(|a| a.into_string().ok()).collect();
    #[cfg(feature = "torch")]
    {
        let mut parsed = crate::train::trainer::TrainArgs::default();
        let mut it = args.into_iter().skip(2);
        while let Some(arg) = it.next() {
            match arg.as_str() {
                "--set" => parsed.overrides.extend(it.next()),
                "--run" => parsed.run_dir = it.next().map(PathBuf::from),
                "--resume" => parsed.resume = it.next().map(PathBuf::from),
                _ => parsed.config = Some(PathBuf::from(arg)),
            }
        }
        let mut ignore = |_: &serde_json::Value| {};
        let mut console = crate::train::console::Console::new(&mut ignore);
        match crate::train::trainer::run(&parsed, &STOP, &mut console) {
            Ok(table) => println!("{}", crate::train::rungs::table(&table, 100)),
            Err(error) => {
                eprintln!("error: {error}");
                return error.exit_status();
            }
        }
    }
    0
}
