extension StringProtocol {
    /// The text between quotation marks, as messages show keys, files, and user input: `"Ben's
    /// phone"`.
    ///
    /// Quotation marks, backslashes, and unprintable characters are escaped as in Swift literals.
    /// Apostrophes aren't escaped.
    package var quoted: String {
        // Every escape has at least two characters; this skips an escaped backslash or quotation
        // mark.
        var quoted = ""
        var isEscaped = false
        for scalar in String(self).debugDescription.unicodeScalars {
            if isEscaped {
                if scalar != "'" { quoted.unicodeScalars.append("\\") }
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
                continue
            }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted
    }
}
