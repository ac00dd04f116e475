import CNcurses
import Glibc

/// The character set that ncurses writes in: the process's, which a program has to choose.
enum Locale {
    /// Chooses the environment's locale where its character set is UTF-8, otherwise any UTF-8
    /// locale there is: terminals that take nothing else have become rare, and data is UTF-8.
    ///
    /// - Returns: Whether there is one; without, only ASCII can be drawn.
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
