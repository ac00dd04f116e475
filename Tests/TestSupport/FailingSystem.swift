import Foundation

/// A library that is loaded into a program and makes some of its system calls fail: flushes, as on
/// a broken or full disk; locks, as on some network file systems; or the creation of threads.
public enum FailingSystem {
    /// The reason why the library can't be built on this system; `nil` if it can.
    public static let problem: String? = {
        if case .failure(let error) = library { return "\(error)" }
        return nil
    }()

    /// Returns the environment in which the program's flush with this number, counted from 1, fails
    /// with `EIO`. All later flushes fail too, or all succeed.
    ///
    /// - Parameter trace: The path of a file that the first failing flush creates.
    public static func environment(
        failingFlush number: Int, laterFail: Bool = false, trace: String
    ) throws -> [String: String] {
        var environment = [
            "LD_PRELOAD": try library.get(), "FAILING_FLUSH": "\(number)",
            "FAILING_FLUSH_TRACE": trace,
        ]
        if laterFail { environment["FAILING_FLUSH_STAYS"] = "1" }
        return environment
    }

    /// Returns the environment in which locks of files fail with `ENOLCK`.
    public static func environmentWithoutLocks() throws -> [String: String] {
        ["LD_PRELOAD": try library.get(), "FAILING_LOCKS": "1"]
    }

    /// Returns the environment in which no thread can be started.
    public static func environmentWithoutThreads() throws -> [String: String] {
        ["LD_PRELOAD": try library.get(), "FAILING_THREADS": "1"]
    }

    private static let library = Result {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "tideline-failing-system-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let (code, built) = (folder.appending(path: "calls.c"), folder.appending(path: "calls.so"))
        try Data(source.utf8).write(to: code)
        let compiler = ["cc", "clang", "gcc"].compactMap(Programs.installed).first
        guard let compiler else {
            throw PseudoTerminal.Failure(description: "no C compiler is installed")
        }
        let result = try ProgramResult.running(
            executable: compiler, ["-shared", "-fPIC", "-o", built.path, code.path, "-ldl"],
            environment: [:])
        guard result.status == 0 else { throw PseudoTerminal.Failure(description: result.errors) }
        return built.path
    }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <pthread.h>
        #include <stdatomic.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #include <unistd.h>

        static atomic_int calls;

        static int flush(const char *name, int file) {
            const char *number = getenv("FAILING_FLUSH");
            const char *trace = getenv("FAILING_FLUSH_TRACE");
            int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
            if (!number || !trace) return real(file);
            int past = atomic_fetch_add(&calls, 1) + 1 - atoi(number);
            if (past < 0 || (past > 0 && !getenv("FAILING_FLUSH_STAYS"))) return real(file);
            close(open(trace, O_CREAT | O_WRONLY, 0600));
            errno = EIO;
            return -1;
        }

        int fsync(int file) { return flush("fsync", file); }
        int fdatasync(int file) { return flush("fdatasync", file); }

        static int control(const char *name, int file, int command, void *argument) {
            int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
            int isLock = command == F_SETLK || command == F_SETLKW || command == F_GETLK
                || command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
            if (!isLock || !getenv("FAILING_LOCKS")) return real(file, command, argument);
            errno = ENOLCK;
            return -1;
        }

        #define CONTROL(name) \
            int name(int file, int command, ...) { \
                va_list list; \
                va_start(list, command); \
                void *argument = va_arg(list, void *); \
                va_end(list); \
                return control(#name, file, command, argument); \
            }

        CONTROL(fcntl)
        CONTROL(fcntl64)

        typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

        int pthread_create(
            pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument
        ) {
            if (getenv("FAILING_THREADS")) return EAGAIN;
            return ((Create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, body, argument);
        }
        """
}
