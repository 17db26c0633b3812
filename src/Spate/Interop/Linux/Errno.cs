namespace Spate.Interop.Linux;

/// <summary>
/// <c>errno.h</c>: the asm-generic numbers, which x64 and arm64 use: those that this library acts on, and the names of
/// all for messages. No error has the number 41 or 58.
/// </summary>
internal static class Errno
{
    public const int EPERM = 1;
    public const int EINTR = 4;
    public const int EIO = 5;
    public const int EBADF = 9;
    public const int EAGAIN = 11;
    public const int ENOMEM = 12;
    public const int EACCES = 13;
    public const int EFAULT = 14;
    public const int EBUSY = 16;
    public const int ENODEV = 19;
    public const int EINVAL = 22;
    public const int ENFILE = 23;
    public const int EMFILE = 24;
    public const int EPIPE = 32;
    public const int ENOSYS = 38;
    public const int ENONET = 64;
    public const int EPROTO = 71;
    public const int ENOTSOCK = 88;
    public const int EDESTADDRREQ = 89;
    public const int EMSGSIZE = 90;
    public const int EPROTOTYPE = 91;
    public const int ENOPROTOOPT = 92;
    public const int EPROTONOSUPPORT = 93;
    public const int ESOCKTNOSUPPORT = 94;
    public const int EOPNOTSUPP = 95;
    public const int EPFNOSUPPORT = 96;
    public const int EAFNOSUPPORT = 97;
    public const int EADDRINUSE = 98;
    public const int EADDRNOTAVAIL = 99;
    public const int ENETDOWN = 100;
    public const int ENETUNREACH = 101;
    public const int ENETRESET = 102;
    public const int ECONNABORTED = 103;
    public const int ECONNRESET = 104;
    public const int ENOBUFS = 105;
    public const int EISCONN = 106;
    public const int ENOTCONN = 107;
    public const int ESHUTDOWN = 108;
    public const int ETIMEDOUT = 110;
    public const int ECONNREFUSED = 111;
    public const int EHOSTDOWN = 112;
    public const int EHOSTUNREACH = 113;
    public const int EALREADY = 114;
    public const int EINPROGRESS = 115;
    public const int ECANCELED = 125;

    // The name of each number, at the index of the number.
    private static readonly string?[] Names =
    [
        null, "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF", "ECHILD", "EAGAIN",
        "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL",
        "ENFILE", "EMFILE", "ENOTTY", "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM",
        "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", null, "ENOMSG", "EIDRM",
        "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH", "ENOCSI", "EL2HLT", "EBADE", "EBADR", "EXFULL",
        "ENOANO", "EBADRQC", "EBADSLT", null, "EBFONT", "ENOSTR", "ENODATA", "ETIME", "ENOSR", "ENONET", "ENOPKG",
        "EREMOTE", "ENOLINK", "EADV", "ESRMNT", "ECOMM", "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG", "EOVERFLOW",
        "ENOTUNIQ", "EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN", "ELIBMAX", "ELIBEXEC", "EILSEQ", "ERESTART",
        "ESTRPIPE", "EUSERS", "ENOTSOCK", "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT",
        "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT", "EADDRINUSE", "EADDRNOTAVAIL", "ENETDOWN",
        "ENETUNREACH", "ENETRESET", "ECONNABORTED", "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN",
        "ETOOMANYREFS", "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY", "EINPROGRESS", "ESTALE",
        "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO", "EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED",
        "ENOKEY", "EKEYEXPIRED", "EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD", "ENOTRECOVERABLE", "ERFKILL",
        "EHWPOISON",
    ];

    /// <summary>
    /// Returns the name and the number, such as "ECONNREFUSED (111)"; "errno 999" for a number without a name.
    /// </summary>
    internal static string Describe(int errno)
    {
        string? name = (uint)errno < (uint)Names.Length ? Names[errno] : null;
        return name is null ? $"errno {errno}" : $"{name} ({errno})";
    }
}
