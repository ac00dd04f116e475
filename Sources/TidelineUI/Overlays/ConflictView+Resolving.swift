import TidelineCore

extension ConflictView {
    /// Resolves the conflict with the value of a side.
    func take(_ index: Int, in context: ScreenContext) -> [ScreenOutcome] {
        guard let conflict else { return [noSides] }
        guard conflict.sides.indices.contains(index) else { return [] }
        return resolve(.take(conflict.sides[index].id), "Choose a side", in: context)
    }

    /// Resolves the conflict with the merged value, including picks.
    func propose(in context: ScreenContext) -> [ScreenOutcome] {
        guard let conflict else { return [noSides] }
        let way: Edit.Resolution? =
            picks.isEmpty ? conflict.proposal.map { .value($0.typed) } : .picks(sidesPicked)
        return way.map { resolve($0, "Merge automatically", in: context) } ?? []
    }

    private func resolve(
        _ way: Edit.Resolution, _ what: String, in context: ScreenContext
    ) -> [ScreenOutcome] {
        guard let conflict else { return [noSides] }
        return Self.refusal(what, .resolve, in: context)
            ?? [.preview(source, [.resolve(row, conflict.resolution(way))])]
    }

    /// Returns the reason why this kind of edit of the conflict isn't possible; `nil` if it is.
    private static func refusal(
        _ what: String, _ kind: EditKind, in context: ScreenContext
    ) -> [ScreenOutcome]? {
        context.refusal(kind).map { [.notice(.warning, "\(what): \($0)")] }
    }

    private var noSides: ScreenOutcome {
        .notice(
            .warning,
            detailRequest != nil
                ? "the sides are still loading" : "this row is no longer in conflict")
    }

    /// Edits the value in conflict.
    func edit(externally isExternal: Bool, in context: ScreenContext) -> [ScreenOutcome] {
        Self.refusal("Edit", .set, in: context)
            ?? [.editValue(row, field: conflict?.part, source, isExternal: isExternal)]
    }

    /// Opens all sides in the merge tool, or in the external editor to edit the winner's value.
    func merge(in context: ScreenContext) -> [ScreenOutcome] {
        guard let conflict else { return [] }
        if let refusal = Self.refusal("Merge", .resolve, in: context) { return refusal }
        let all = conflict.sides + (conflict.base.map { [$0] } ?? [])
        if let side = all.first(where: \.isHidden) {
            let name = context.session.name(of: side.author)
            return [.notice(.warning, "Merge: the value of \(name) can't be shown here")]
        }
        guard let first = conflict.sides.first(where: { $0.typed != nil })?.typed else {
            return [.notice(.warning, "Merge: no side has a value")]
        }
        let job = EditorJob(
            source: source, purpose: .resolve(row, conflict.part), kind: first.kind,
            original: first.text, sides: conflict.sides.map(\.id))
        if let tool = context.preferences.mergeTool {
            let texts = MergedTexts(
                base: conflict.base.map { $0.typed?.text ?? "" },
                sides: conflict.sides.map { $0.typed?.text ?? "" },
                proposal: conflict.proposal?.typed.text)
            return [.merge(job, texts, with: tool)]
        }
        var text = first.text + (first.text.endsInNewline ? "" : "\n") + EditorJob.scissors
        for side in all {
            let isBase = side == conflict.base
            let device = Sanitizer.visible(context.session.name(of: side.author))
            text += "\n#\(isBase ? " common base," : "") \(device)"
            text += " \(side.instant.secondText(in: context.preferences.utcOffset))\n"
            text += side.typed?.text ?? "(deleted)"
        }
        return [.edit(job, text: text + "\n")]
    }
}
