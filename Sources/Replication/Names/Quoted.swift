extension StringProtocol {
    /// The text between quotation marks, as messages name keys, files and what a person typed:
    /// `"Ben's phone"`.
    ///
    /// A quotation mark, a backslash and what cannot be printed are written as Swift's literals
    /// write them; apostrophes stand as they are.
    package var quoted: String {
        // An escape is two characters at least, so that one that is itself escaped is passed over.
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
