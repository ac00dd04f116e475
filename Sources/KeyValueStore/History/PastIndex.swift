import Foundation
import Replication
import Synchronization

/// Of which key each row of the logs is, and when it was written: by it every state of the past is
/// found without a look at the logs. 12 bytes a row, and 16 bytes a key for the state that was asked
/// for last, from which the next one is made.
///
/// It lives as long as somebody holds a list that was made by it, and takes new rows in when it is
/// asked again.
final class PastIndex: Sendable {
    /// The load by whose numbers it knows the keys.
    let generation: Int

    private let logs = Mutex<[DeviceID: LogTimes]>([:])
    /// Logs that were found unreadable, until something else is known of them.
    private let unreadable = Mutex<[DeviceID: (sign: LogTimes.Sign, problem: String)]>([:])
    /// The rows that won at the instant that was asked for last.
    private let latest = Mutex<PastWinners?>(nil)
    /// One thread reads, others wait for what it finds.
    private let reading = Mutex<Void>(())

    init(generation: Int) { self.generation = generation }

    /// The rows of all logs as far as they are known now, in byte order of devices, and the logs
    /// that cannot be read, with the reasons.
    ///
    /// - Complexity: O(*n*) in the rows that are new since the last call; of a log that was replaced,
    ///   or has PARStore 1's form and changed, in all its rows.
    func times(of store: KeyValueStore) -> (logs: [LogTimes], unread: [DeviceID: String]) {
        reading.withLock { _ in
            let signs = Dictionary(
                store.devices.map { ($0.device, LogTimes.Sign($0)) }, uniquingKeysWith: { $1 })
            let known = logs.withLock { $0 }
            let left = unreadable.withLock { $0 }
            var times: [DeviceID: LogTimes] = [:]
            var failed: [DeviceID: String] = [:]
            var readings: [LogTimes.Reading] = []
            for log in store.readableLogs(nil, longest: store.configuration.longestValue) {
                guard let sign = signs[log.device] else { continue }
                if let left = left[log.device], left.sign == sign {
                    failed[log.device] = left.problem
                } else if let old = known[log.device], old.sign == sign {
                    times[log.device] = old
                } else {
                    readings.append(LogTimes.Reading(log, sign, known[log.device], store.memory))
                }
            }
            for (device, result) in LogTimes.Reading.run(readings, store.memory) {
                switch result {
                case .success(let read): times[device] = read
                case .failure(let error): failed[device] = "\(error)"
                }
            }
            logs.withLock { $0 = times }
            return (times.values.sorted { $0.device < $1.device }, failed)
        }
    }

    /// The newest row of each key up to an instant.
    ///
    /// - Parameter count: How many keys there are.
    /// - Complexity: O(*n*) in the number of rows; forward from the instant that was asked for last
    ///   in the rows between them and those that came since, backward with a look at the number of
    ///   each row's key.
    func winners(through instant: Int64, of logs: [LogTimes], count: Int) -> [PastWinners.Winner] {
        latest.withLock { latest in
            if latest?.takeIn(logs, count: count) != true {
                latest = PastWinners(logs, count: count)
            }
            latest?.move(to: instant, in: logs)
            return latest?.winners ?? []
        }
    }

    /// Leaves a log out until something else is known of it: rows of it could not be read.
    func leaveOut(_ unread: [DeviceID: String]) {
        logs.withLock { logs in
            unreadable.withLock { unreadable in
                for (device, problem) in unread {
                    guard let log = logs.removeValue(forKey: device) else { continue }
                    unreadable[device] = (log.sign, problem)
                }
            }
        }
    }
}
