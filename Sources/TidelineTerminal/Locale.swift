import CNcurses
import Glibc

/// The character set that ncurses writes, which the program sets once for the process.
enum Locale {
    /// Sets the environment's locale if it uses UTF-8, or else any UTF-8 locale. Terminals without
    /// UTF-8 have become rare, and the data is UTF-8.
    ///
    /// - Returns: Whether a UTF-8 locale exists. If not, only ASCII can be drawn.
    static func chooseUTF8() -> Bool {
        for name in ["", "C.UTF-8", "C.utf8", "en_US.UTF-8"] {
            guard setlocale(LC_CTYPE, name) != nil, let set = nl_langinfo(nl_item(CODESET)) else {
                continue
            }
            if String(cString: set) == "UTF-8" { return true }
        }
        _ = setlocale(LC_CTYPE, "C")
        return false
    }
}
