import Foundation

/// A long-running program of this package that prints events as lines of JSON.
public final class EventProgram {
    private let program: RunningProgram
    private let errorFile: String
    private var waiting: [[String: Any]] = []
    /// All lines read so far.
    public private(set) var events: [[String: Any]] = []

    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// Starts the program. Its standard error goes to a file in `folder`.
    public init(
        _ name: String, _ arguments: [String], environment: [String: String],
        in folder: TemporaryFolder
    ) throws {
        errorFile = folder.appending("errors-\(UInt64.random(in: 0 ... .max))")
        program = try RunningProgram(
            name, arguments, environment: environment, errors: .file(errorFile))
    }

    deinit { kill() }

    /// The program's standard error so far.
    public var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    /// Returns the next event with this name that no earlier call returned or skipped.
    @discardableResult
    public func next(_ event: String, _ fields: [String: String] = [:]) throws -> [String: Any] {
        while true {
            while !waiting.isEmpty {
                let line = waiting.removeFirst()
                let meets = fields.allSatisfy { line[$0.key] as? String == $0.value }
                if line["event"] as? String == event, meets { return line }
            }
            guard try readMore() else {
                throw Failure(description: "it ended before \(event) \(fields): \(errors)")
            }
        }
    }

    /// - Returns: `false` at the end.
    private func readMore() throws -> Bool {
        let line: String?
        do {
            line = try program.line(within: patience)
        } catch {
            throw Failure(description: "nothing comes behind \(events.suffix(5)): \(errors)")
        }
        guard let line else { return false }
        guard let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        else { throw Failure(description: "no object: \(line)") }
        waiting.append(event)
        events.append(event)
        return true
    }

    /// Sends a signal.
    public func send(_ signal: Int32) { program.send(signal) }

    /// Sends a signal, and reads until the program has ended.
    @discardableResult
    public func end(by signal: Int32) throws -> Int32? {
        program.send(signal)
        return try ending()
    }

    /// The exit code once the program has ended; `nil` if a signal ended it.
    public func ending() throws -> Int32? {
        while try readMore() {}
        return try program.wait().code
    }

    /// Kills the program.
    public func kill() { _ = try? program.end() }
}
