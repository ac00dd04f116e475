import TidelineCore

extension Row {
    /// The name of the row on the screen. The names of most lists are in the first column; in the
    /// log, in problems and in differences, another column precedes them.
    var shownName: String? {
        cells.first { $0.role == .key && !$0.text.isEmpty }?.text ?? cells.first?.text
    }
}
