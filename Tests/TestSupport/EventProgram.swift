import Foundation
import Glibc

/// A program of this package that goes on and prints events as lines of JSON.
public final class EventProgram {
    private let process = Process()
    private let output = Pipe()
    private let errorFile: String
    private var unread = Data()
    private var waiting: [[String: Any]] = []
    /// All lines that were read.
    public private(set) var events: [[String: Any]] = []

    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// Starts the program; what it writes to standard error goes to a file in `folder`.
    public init(
        _ name: String, _ arguments: [String], environment: [String: String],
        in folder: TemporaryFolder
    ) throws {
        errorFile = folder.appending("errors-\(UInt64.random(in: 0 ... .max))")
        _ = FileManager.default.createFile(atPath: errorFile, contents: nil)
        process.executableURL = URL(filePath: Programs.built(name))
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errorFile))
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit { kill() }

    /// What it wrote to standard error until now.
    public var errors: String { (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? "" }

    /// The next event of this name, of those that no call has taken or passed over yet.
    ///
    /// - Parameter fields: What it has to have.
    /// - Throws: ``Failure`` where none comes for three minutes, or the program ends.
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
        let number = output.fileHandleForReading.fileDescriptor
        var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        var count: Int32 = 0
        repeat { count = poll(&request, 1, 180_000) } while count < 0 && errno == EINTR
        guard count > 0 else {
            throw Failure(description: "nothing comes behind \(events.suffix(5)): \(errors)")
        }
        let data = output.fileHandleForReading.availableData
        guard !data.isEmpty else { return false }
        unread += data
        while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
            let line = unread[unread.startIndex..<end]
            unread = Data(unread[(end + 1)...])
            guard let event = try JSONSerialization.jsonObject(with: line) as? [String: Any] else {
                throw Failure(description: "no object: \(String(decoding: line, as: UTF8.self))")
            }
            waiting.append(event)
            events.append(event)
        }
        return true
    }

    /// Sends a signal, and reads on until the program has ended.
    ///
    /// - Returns: Its exit code; `nil` where the signal ended it.
    @discardableResult
    public func end(by signal: Int32) throws -> Int32? {
        Glibc.kill(process.processIdentifier, signal)
        return try ending()
    }

    /// Its exit code once it has ended by itself; `nil` where a signal ended it.
    public func ending() throws -> Int32? {
        while try readMore() {}
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// Ends it without giving it a chance.
    public func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
