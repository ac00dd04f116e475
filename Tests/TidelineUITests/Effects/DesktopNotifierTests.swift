import Foundation
import TestSupport
import Testing

@testable import TidelineUI

/// Desktop notifications, by programs that stand in for `notify-send`.
@Suite struct DesktopNotifierTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func program(_ script: String) throws -> String {
        let path = folder.appending("notify")
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    @Test func notificationIsOneArgumentWithoutMarkupOrControlCharacters() {
        let arguments = DesktopNotifier.arguments(for: "--x <b>&\u{1B}]0;t\u{07}")
        #expect(arguments.dropLast() == ["--app-name=Tideline", "--", "Tideline"])
        #expect(arguments.last == "--x &lt;b&gt;&amp;␛]0;t␇")
        let long = DesktopNotifier.arguments(for: String(repeating: "ü", count: 10_000))
        #expect(long.last.map(\.utf8.count) ?? 0 <= DesktopNotifier.textLimit)
    }

    @Test func programGetsTheTextAndTheReasonOfAFailureIsReported() async throws {
        let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
        let path = try program("printf '%s|' \"$@\" > \"$0.out\"; echo no bus >&2; exit 3")
        let notifier = DesktopNotifier(program: path, timeLimit: patience) {
            continuation.yield($0)
        }
        notifier.show("alert: $(touch x); 'a'")
        for await reason in reasons {
            #expect(reason == "\(path): no bus")
            break
        }
        let written = try String(contentsOfFile: path + ".out", encoding: .utf8)
        #expect(written == "--app-name=Tideline|--|Tideline|alert: $(touch x); 'a'|")
    }

    @Test func missingProgramIsReported() async throws {
        let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
        let path = folder.appending("missing")
        let notifier = DesktopNotifier(program: path, timeLimit: patience) {
            continuation.yield($0)
        }
        notifier.show("alert")
        for await reason in reasons {
            #expect(reason.hasPrefix("\(path): it can't be started"))
            break
        }
    }

    @Test func onlyTheLastOfSeveralWaitingTextsIsShown() async throws {
        let (reasons, continuation) = AsyncStream.makeStream(of: String.self)
        // The first run waits until the others have been requested.
        let path = try program(
            "while [ ! -e \"$0.go\" ]; do sleep 0.01; done; for last; do :; done; echo \"$last\"; exit 1"
        )
        let notifier = DesktopNotifier(program: path, timeLimit: patience) {
            continuation.yield($0)
        }
        for text in ["one", "two", "three"] { notifier.show(text) }
        try Data().write(to: URL(filePath: path + ".go"))
        var shown: [String] = []
        for await reason in reasons {
            shown.append(reason)
            if reason.hasSuffix("three") { break }
        }
        // The first program may have started before or after the other requests.
        let texts = shown.map { String($0.dropFirst(path.count + 2)) }
        #expect([["one", "three"], ["two", "three"], ["three"]].contains(texts))
    }
}
