import CommandSupport
import Foundation
import Replication
import TidelineCore
import TidelineUI

/// The resolution of all conflicts of a store by the rules of the settings.
struct RuleResolution {
    let store: String
    let isDryRun: Bool

    /// Resolves the conflicts and prints each change.
    func run(as device: DeviceOption) async throws {
        let rules = try rules()
        _ = try Failure.of(store) { try StoreKind.package(at: store) }
        try await EditRunner.store(store, as: device, isWritable: !isDryRun) { editor in
            let pane = PaneID.conflicts.text
            let source = try editor.source(ofPane: pane)
            let rows = try await rows(of: source, in: editor.session)
            let devices = editor.session.status.devices
            let names = Dictionary(keepingFirst: devices.map { ($0.id, $0.name) })
            let known = StoreRules(rules, for: rows, devices: devices.map(\.id)) { author in
                guard case .device(let device) = author else { return author.name }
                return names[device] ?? author.name
            }
            for problem in known.problems { Output.note("tideline: \(Printable.line(problem))") }
            let edits = rows.compactMap { $0.edit(by: .rules(known.rules)) }
            guard !edits.isEmpty else {
                Output.note("nothing to resolve: no rule applies to any conflict")
                return nil
            }
            let previews = try await source.previews(of: edits, typedOver: nil)
            EditRunner.print(previews)
            if isDryRun { return nil }
            let applied = try await editor.apply(previews, pane: pane)
            if let skipped = applied?.skipped, !skipped.isEmpty {
                Output.note("tideline: \(Printable.line(SkippedEdit.summary(of: skipped)))")
            }
            return applied
        }
    }

    private func rules() throws -> [ResolutionRule] {
        let file = ConfigurationFile(environment: ProcessInfo.processInfo.environment)
        let settings = file.configuration()
        for problem in settings.problems { Output.note("tideline: \(problem)") }
        guard !settings.resolutionRules.isEmpty else {
            throw Failure(
                .invalidRequest, "--rules", "the settings have no rules",
                suggestion: "add rules under 'resolve' in \(file.path)")
        }
        return settings.resolutionRules
    }

    /// Returns the conflicts that aren't ignored. Conflicts of blobs are left out, because
    /// resolving such a conflict permanently deletes the other versions.
    private func rows(
        of source: any RowSource, in session: any StoreSession
    ) async throws -> [ConflictedRow] {
        let marks = try UserState().ignoredConflicts(ofStoreAt: session.path).marks()
        return try await ConflictedRow.all(in: source).filter { row in
            let mark = ConflictPlace(listed: row.row).flatMap { marks[$0] }
            let isIgnored = row.conflicts.first.flatMap { mark?.isAbout($0) } ?? false
            return !row.hasFiles && !isIgnored
        }
    }
}
