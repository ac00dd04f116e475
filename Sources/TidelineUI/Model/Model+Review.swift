import Foundation
import Replication
import TidelineCore

extension Model {
    mutating func handle(_ key: Key, in editor: FieldEditor) -> [Effect] {
        var editor = editor
        let hasName = if case .add = editor.purpose { true } else { false }
        switch (key.code, key.modifiers) {
        case (.escape, _):
            overlay = nil
            return editor.pending.map { [.cancel($0)] } ?? []
        case (.enter, _):
            if hasName, editor.part == .name {
                editor.part = .value
                break
            }
            let id = newRequest()
            editor.pending = id
            editor.problem = nil
            overlay = .field(editor)
            return [.preview(id, editor.source, [editor.edit])]
        case (.tab, _), (.backTab, _), (.up, _), (.down, _):
            if hasName {
                editor.part = editor.part == .name ? .value : .name
            } else if key.code == .tab || key.code == .backTab {
                editor.changeKind(by: key.code == .tab ? 1 : -1)
            }
        case (.character("t"), .control): editor.changeKind(by: 1)
        case (.character("n"), .control):
            if editor.kinds.contains(.null) { editor.kind = .null }
        default:
            let isKnown =
                editor.part == .name ? editor.name.handle(key) : editor.value.handle(key)
            if isKnown { editor.problem = nil }
        }
        overlay = .field(editor)
        return []
    }

    /// Shows what edits would write.
    mutating func review(
        _ previews: [EditPreview], direction: Review.Direction, subject: UUID? = nil,
        source: SourceID
    ) {
        let isNewDevice = previews.contains { $0.createsDevice }
        overlay = .preview(
            Review(
                source: source, direction: direction, subject: subject, previews: previews,
                stage: isNewDevice ? .device : .confirm))
    }

    mutating func handle(_ key: Key, in review: Review) -> [Effect] {
        var review = review
        switch (review.stage, key.code) {
        case (_, .escape):
            overlay = nil
            say(.info, "nothing was written")
            return []
        case (_, .down): review.top += 1
        case (_, .up): review.top = max(0, review.top - 1)
        case (_, .pageDown): review.top += 10
        case (_, .pageUp): review.top = max(0, review.top - 10)
        case (.device, .character("y")): review.stage = .confirm
        case (.confirm, .character("y")) where !review.needsCount: return write(review)
        case (.confirm, .enter) where review.needsCount:
            if Int(review.count.text) == review.rowCount { return write(review) }
            review.problem = "type \(review.rowCount) to change that many rows"
        case (_, .character("n")), (_, .character("q")):
            overlay = nil
            say(.info, "nothing was written")
            return []
        default:
            if review.stage == .confirm, review.needsCount {
                let isDigit = if case .character(let c) = key.code { c.isNumber } else { true }
                if isDigit { _ = review.count.handle(key) }
                review.problem =
                    isDigit ? nil : "one key is not enough: type \(review.rowCount) and Enter"
            }
        }
        review.top = min(review.top, max(0, review.lineCount - 1))
        overlay = .preview(review)
        return []
    }

    private mutating func write(_ review: Review) -> [Effect] {
        if let reason = canWrite.reason {
            say(.warning, reason)
            return []
        }
        var review = review
        let id = newRequest()
        review.pending = id
        review.problem = nil
        overlay = .preview(review)
        return [
            .apply(
                id, review.source, review.previews,
                JournalNote(
                    pane: pane(of: review.source), direction: review.direction.kept,
                    subject: review.subject))
        ]
    }

    mutating func receiveApplied(
        _ id: RequestID, _ applied: [AppliedEdit], failure: RequestFailure?
    ) -> [Effect] {
        guard case .preview(var review) = overlay, review.pending == id else { return [] }
        review.pending = nil
        if let whole = AppliedEdit(applied) {
            journal.record(
                .init(
                    pane: pane(of: review.source), applied: whole, direction: review.direction,
                    subject: review.subject))
            version += 1
        }
        guard let failure else {
            overlay = nil
            afterWriting(review, applied)
            return []
        }
        if failure.editCode == .moved {
            let request = newRequest()
            let left = Array(review.previews.dropFirst(applied.count))
            overlay = .moved(
                Moved(
                    source: review.source, direction: review.direction,
                    subject: review.subject, before: left, problem: failure.message,
                    pending: request))
            return [.preview(request, review.source, left.map(\.edit))]
        }
        if !applied.isEmpty {
            review.previews.removeFirst(min(applied.count, review.previews.count))
        }
        review.problem = failure.message
        overlay = .preview(review)
        return []
    }

    /// Takes back what could not be written yet.
    mutating func withdraw() -> [Effect] {
        say(.info, "taking back what is not written …")
        return [.withdraw(newRequest())]
    }

    mutating func receiveWithdrawn(_ answer: Message.Answer<[String]>) -> [Effect] {
        switch answer {
        case .success(let subjects):
            let forgotten = journal.removePending()
            version += 1
            say(
                .done,
                subjects.isEmpty
                    ? "everything was written already; nothing was taken back"
                    : "taken back, and never written: \(subjects.joined(separator: ", "))")
            return forgotten.isEmpty ? [] : [.forget(forgotten)]
        case .failure(let failure):
            say(.error, failure.message)
            return []
        }
    }

    /// The pane that a list belongs to.
    private func pane(of source: SourceID) -> String {
        let pane = panes.first { $0.lists.contains { $0.source.id == source } } ?? self.pane
        return pane?.id.text ?? ""
    }

    private mutating func afterWriting(_ review: Review, _ applied: [AppliedEdit]) {
        let summary = applied.map(\.summary).joined(separator: "; ")
        if applied.contains(where: \.isPending) {
            let reason = status.unsaved.map { ": \($0.reason)" } ?? ""
            say(
                .warning,
                "not written yet, tried again (\(keymap.hint(for: "undo")) withdraws it)\(reason)")
            finishWriting(review, applied)
            return
        }
        switch review.direction {
        case .edit:
            let key = keymap.hint(for: "undo")
            say(
                .done,
                applied.contains { !$0.undo.isEmpty } ? "\(summary) (\(key) undoes)" : summary)
        case .undo: say(.done, "taken back: \(summary)")
        case .redo: say(.done, "written again: \(summary)")
        }
        finishWriting(review, applied)
    }

    private mutating func finishWriting(_ review: Review, _ applied: [AppliedEdit]) {
        withList {
            $0.chosen = []
            $0.rangeAnchor = nil
        }
        guard list?.source.id == review.source else { return }
        let removesOnly = review.previews.allSatisfy { $0.edit.kind == .remove }
        if !removesOnly, let row = applied.flatMap(\.rows).first {
            withList { list in
                list.wanted = .init(
                    query: list.latestQuery, position: .row(row), purpose: .reveal(row))
                list.isTouched = true
            }
        }
    }

    mutating func handle(_ key: Key, in moved: Moved) -> [Effect] {
        var moved = moved
        switch key.code {
        case .escape, .character("n"), .character("q"):
            overlay = nil
            say(.info, "nothing was written")
            return moved.pending.map { [.cancel($0)] } ?? []
        case .down: moved.top += 1
        case .up: moved.top = max(0, moved.top - 1)
        case .character("p"), .enter:
            guard let after = moved.after else { break }
            review(
                after, direction: moved.direction, subject: moved.subject, source: moved.source)
            return []
        default: break
        }
        overlay = .moved(moved)
        return []
    }
}

extension FieldEditor {
    mutating func changeKind(by step: Int) {
        guard !kinds.isEmpty else { return }
        let index = kinds.firstIndex(of: kind) ?? 0
        kind = kinds[((index + step) % kinds.count + kinds.count) % kinds.count]
        problem = nil
    }
}

extension Review {
    /// How many lines its changes and warnings take, at most.
    var lineCount: Int {
        previews.reduce(0) { count, preview in
            // Of a value that is shown whole, a third of the screen at most.
            let values = preview.changes.flatMap { [$0.old, $0.new] }
            return count + 2 + preview.changes.count * 3 + preview.warnings.count
                + values.count { $0?.isCut == true } * 40
        }
    }
}
