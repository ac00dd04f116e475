import Replication
import TidelineCore

extension Model {
    /// The write that the inspector or its selected line shows; `nil` if another panel has the
    /// focus.
    var inspectedWrite: (instant: Timestamp, writer: DeviceID?)? {
        guard panels.focus == .inspector else { return nil }
        if case .version(let version) = panelStates.inspector.form {
            return (version.instant, version.writer)
        }
        guard let line = panelStates.inspector.selectedLine, let instant = line.instant else {
            return nil
        }
        return (instant, line.writer)
    }

    /// The version to restore: the version that the inspector or its selected line shows.
    var inspectedVersion: Detail.Version? {
        guard panels.focus == .inspector else { return nil }
        if case .version(let version) = panelStates.inspector.form { return version }
        return panelStates.inspector.selectedLine?.version
    }

    /// The reason why the writers of the selected row's texts can't be shown; `nil` if they can.
    var whyNoAuthors: String? {
        if let rowsAreElsewhere { return rowsAreElsewhere }
        guard let list, list.selectedRow != nil else { return "no row is selected" }
        if whyFolder != nil { return "a folder has no text" }
        guard list.source.hasAuthors else {
            return "the writers of texts aren't shown in \(list.source.title)"
        }
        return nil
    }

    /// The reason why the selection can't move to another section; `nil` if it can.
    var whyNoSections: String? {
        panels.focus == .inspector
            ? nil : "only in the inspector; press \(keymap.hint(for: "inspector")) to focus it"
    }

    /// The part of the row that an edit applies to: the part on the inspector's selected line, if
    /// the inspector has the focus.
    var selectedField: FieldPath? {
        panels.focus == .inspector ? panelStates.inspector.selectedLine?.field : nil
    }

    /// The place to add to: the place of the selected line, or else the first in the detail.
    var selectedAddition: Detail.Addition? {
        guard panels.focus == .inspector else { return nil }
        return panelStates.inspector.selectedLine?.addition
            ?? panelStates.inspector.detail?.sections.lazy.flatMap(\.lines).first {
                $0.addition != nil
            }?
            .addition
    }

    /// Returns the reason why an edit isn't possible on the inspector's line; `nil` if it is
    /// possible, or if the inspector doesn't have the focus.
    func whyLineIsNothing(for kind: EditKind) -> String? {
        guard panels.focus == .inspector else { return nil }
        if panelStates.inspector.form != .row {
            let back = keymap.hint(for: "back")
            return "this view can't be edited; press \(back) to return to the row"
        }
        guard panelStates.inspector.shown?.row == list?.cursorID,
            let line = panelStates.inspector.line(at: panelStates.inspector.cursor)
        else { return InspectorPanel.isBeingRead }
        // The first heading represents the row itself.
        if panelStates.inspector.cursor == 0, kind != .add { return nil }
        let back = keymap.hint(for: "back")
        switch (kind, line) {
        case (.add, _):
            return selectedAddition == nil
                ? "nothing can be added inside this value; press \(back) to go to the rows" : nil
        case (.set, .line(let line)), (.remove, .line(let line)):
            return line.field == nil
                ? "this line is not part of the value; press \(back) to go to the row" : nil
        case (.rename, .line(let line)):
            return line.field?.steps.isEmpty ?? true
                ? "only map entries can be renamed here; press \(back) to go to the row" : nil
        case (_, .heading) where kind == .set || kind == .remove || kind == .rename:
            return "this line is not part of the value; press \(back) to go to the row"
        default: return nil
        }
    }
}
