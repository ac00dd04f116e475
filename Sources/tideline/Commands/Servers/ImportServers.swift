import ArgumentParser
import CommandSupport
import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TidelineCore

/// A JSON file that is read in pieces; `-` is standard input.
struct CatalogInput: ParsableArguments {
    @Argument(
        help: "The service's JSON file, or - for standard input.", completion: .file(),
        transform: PathWord.path)
    var file: String

    /// Runs `body` on the file's bytes and adds the file's name to its errors.
    func read<Value>(_ body: (ByteStream) throws -> Value) throws -> Value {
        guard file != "-" else {
            return try naming("standard input") { try body(ByteStream(.standardInput)) }
        }
        let handle = try InputFile.open(file)
        defer { try? handle.close() }
        return try naming(file) { try body(ByteStream(handle)) }
    }

    /// Runs `body` on the file's bytes.
    ///
    /// - Throws: `Failure` also if all records of the file are invalid.
    func report(_ body: (ByteStream) throws -> ImportReport) throws -> ImportReport {
        let report = try read(body)
        if let first = report.bad.first, report.imported == 0, report.unknown == 0 {
            let count = report.badCount
            throw Failure(
                .badData, file == "-" ? "standard input" : file,
                (count == 1
                    ? "its only record is invalid: "
                    : "all \(Counted.grouped(count)) records are invalid; the first: ")
                    + Printable.line(first.reason))
        }
        return report
    }

    private func naming<Value>(_ input: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ServerCatalogError
            where [.badFile, .unreadableFile].contains(error.code)
        {
            throw Failure(error, while: input)
        }
    }
}

struct ImportServers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add and replace the servers of a logicals file, in one transaction.",
        discussion: "Example: tideline servers import Catalog.db logicals.json")

    @OptionGroup var catalog: CatalogToWrite
    @OptionGroup var input: CatalogInput
    @OptionGroup var json: JSONFlag

    func run() throws {
        let report = try catalog.fill { catalog in
            try input.report { try catalog.importLogicals($0) }
        }
        let left = report.withoutEndpointsCount
        report.print(
            json: json.json,
            "imported \(Counted.text(report.listable, "server"))"
                + (left > 0
                    ? ", and \(Counted.grouped(left)) without an endpoint, which lists leave out"
                    : ""),
            [
                "listable": .integer(Int64(report.listable)),
                "withoutEndpoints": .integer(Int64(left)),
            ])
    }
}

struct ImportLoads: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loads",
        abstract: "Update load, score and status of the servers in a loads file.",
        discussion: "Example: tideline servers loads Catalog.db loads.json")

    @OptionGroup var catalog: CatalogToWrite
    @OptionGroup var input: CatalogInput
    @OptionGroup var json: JSONFlag

    func run() throws {
        let report = try catalog.change { catalog in
            try input.report { try catalog.importLoads($0) }
        }
        report.print(
            json: json.json,
            "updated \(Counted.text(report.imported, "server"))"
                + (report.unknown > 0
                    ? ", \(Counted.grouped(report.unknown)) not in the catalog" : ""))
    }
}

struct PruneServers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Delete the servers that are not in a logicals file.",
        discussion: "Example: tideline servers prune Catalog.db logicals.json --max-tier 0")

    @OptionGroup var catalog: CatalogToWrite
    @OptionGroup var input: CatalogInput

    @Option(help: "Delete only servers of this tier or a lower one.")
    var maxTier = ServerTier.internal

    @OptionGroup var json: JSONFlag

    func run() throws {
        let report = try catalog.change { catalog in
            try input.read { try catalog.prune($0, maxTier: maxTier) }
        }
        report.print(json: json.json, "deleted \(Counted.text(report.deleted, "server"))")
    }
}

struct CreateCatalog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create an empty catalog.",
        discussion: "Example: tideline servers create Catalog.db")

    @OptionGroup var catalog: CatalogToWrite

    @Flag(help: "Replace the existing catalog, and keep the old file next to it.")
    var rebuild = false

    func run() throws {
        let path = catalog.store.path
        try catalog.store.explaining("create \(path)") {
            let location = try catalog.location()
            let kept = try location.create(
                rebuilding: rebuild, willAddDevice: catalog.notice(of: location))
            if let kept { Output.note("tideline: the old catalog is kept as \(kept)") }
        }
    }
}

extension ImportReport {
    /// Prints the result. Skipped records are reported on standard error.
    ///
    /// - Parameter members: The additional members of the JSON output.
    fileprivate func print(
        json isJSON: Bool, _ summary: String, _ members: [Name: JSONValue] = [:]
    ) {
        for note in notes { Output.note("tideline: \(Printable.line(note))") }
        if isJSON {
            let counts: [Name: JSONValue] = [
                "imported": .integer(Int64(imported)), "unknown": .integer(Int64(unknown)),
                "deleted": .integer(Int64(deleted)), "bad": .integer(Int64(badCount)),
                "badRecords": .array(
                    bad.map { record in
                        .object([
                            "index": .integer(Int64(record.index)),
                            "name": record.name.map { .string($0) } ?? .null,
                            "reason": .string(record.reason),
                        ])
                    }),
            ]
            Output.json(.object(counts.merging(members) { own, _ in own }))
        } else {
            Output.line(
                summary
                    + (badCount > 0 ? ", skipped \(Counted.text(badCount, "invalid record"))" : ""))
        }
    }
}
