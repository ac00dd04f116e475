import Foundation
import TestSupport
import Testing

/// The files that `Packaging/install` installs with the program.
@Suite struct PackagingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ program: String, _ arguments: [String]) throws -> ProgramResult {
        try ProgramResult.running(executable: program, arguments, environment: [:])
    }

    private func install() throws -> ProgramResult {
        try run(
            Self.root.appending(path: "Packaging/install").path,
            [
                "--program", Programs.built("tideline"), "--prefix", "/opt/tideline", "--destdir",
                folder.path,
            ])
    }

    private func text(_ path: String) throws -> String {
        let file = folder.appending("opt/tideline/\(path)")
        guard path.hasSuffix(".gz") else {
            return try String(contentsOf: URL(filePath: file), encoding: .utf8)
        }
        return try run("/bin/gzip", ["-dc", file]).output
    }

    @Test(.enabled(if: Programs.installed("python3") != nil, "python3 is missing"))
    func allFilesAreInstalled() throws {
        let result = try install()
        #expect(result.status == 0, "\(result.errors)")
        let program = folder.appending("opt/tideline/bin/tideline")
        #expect(try run(program, ["--version"]).output.hasPrefix("0.1.0"))

        // Each command is described in the page of its group, and each group has a page.
        let page = try text("share/man/man1/tideline.1.gz")
        for command in ["info", "doctor", "watch", "demo", "log", "conflicts", "resolve", "merge"] {
            #expect(page.contains(".SS \(command)\n"), "\(command)")
        }
        for (group, command) in [
            ("kv", "set"), ("blobs", "put"), ("entities", "relate"), ("servers", "groups"),
            ("docs", "splice"), ("tables", "query"),
        ] {
            #expect(page.contains("tideline\\-\(group)\\fR(1)"), "\(group)")
            let own = try text("share/man/man1/tideline-\(group).1.gz")
            #expect(own.contains(".SS \(group) \(command)\n"), "\(group) \(command)")
            #expect(own.contains("Example: tideline \(group) "), "\(group)")
        }
        // Commands hidden in the help are hidden here.
        #expect(!page.contains("demo\\-life"))

        for path in [
            "bash-completion/completions/tideline", "zsh/site-functions/_tideline",
            "fish/vendor_completions.d/tideline.fish",
        ] {
            #expect(try text("share/\(path)").contains("tideline"), "\(path)")
        }
        let completion = folder.appending(
            "opt/tideline/share/bash-completion/completions/tideline")
        #expect(try run("/bin/bash", ["-n", completion]).status == 0)
        #expect(try text("share/tideline/themes/tide-dark.yaml").contains("name: tide-dark"))
        #expect(try text("share/doc/tideline/copyright").hasPrefix("MIT License"))
    }

    @Test(
        .enabled(
            if: Programs.installed("python3") != nil && Programs.installed("groff") != nil,
            "python3 or groff is missing"))
    func manualPagesHaveNoErrors() throws {
        let pages = folder.appending("pages")
        let written = try run(
            Self.root.appending(path: "Packaging/manual").path,
            [Programs.built("tideline"), pages])
        #expect(written.status == 0, "\(written.errors)")
        let groff = try #require(Programs.installed("groff"))
        let names = try FileManager.default.contentsOfDirectory(atPath: pages)
        #expect(names.count >= 7)
        for name in names {
            let page = try run(
                groff, ["-man", "-ww", "-z", "-Kutf8", "-Tutf8", "\(pages)/\(name)"])
            #expect(page.status == 0 && page.errors.isEmpty, "\(name): \(page.errors)")
        }
    }

    @Test func unknownArgumentsAreReportedAndInstallNothing() throws {
        let result = try run(
            Self.root.appending(path: "Packaging/install").path, ["--prefx", folder.path])
        #expect(result.status == 64)
        #expect(result.output.contains("--prefix"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
