using System.Runtime.InteropServices;
using Spate.Interop.Linux;

namespace Spate.Tests;

/// <summary>Code under a filter of system calls, as in a container.</summary>
internal static unsafe partial class Sandbox
{
    private const int SetSeccomp = 22;
    private const int SetNoNewPrivileges = 38;
    private const int FilterMode = 2;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Runs code on a thread to which a system call answers EPERM.</summary>
    /// <param name="systemCall">The call's number.</param>
    /// <param name="code">The code.</param>
    public static void Run(int systemCall, Action code)
    {
        Exception? fault = null;
        var confined = new Thread(() => fault = Record.Exception(() =>
        {
            Confine((uint)systemCall);
            code();
        }));
        confined.Start();

        Assert.True(confined.Join(Patience));
        Assert.Null(fault);
    }

    // Of the calling thread, for ever.
    private static void Confine(uint systemCall)
    {
        const int returnErrno = 0x00050000;
        const int returnAllow = 0x7FFF0000;
        Span<sock_filter> program =
        [
            new() { code = 0x20 },
            new() { code = 0x15, jt = 0, jf = 1, k = systemCall },
            new() { code = 0x06, k = returnErrno | Errno.EPERM },
            new() { code = 0x06, k = returnAllow },
        ];
        fixed (sock_filter* instructions = program)
        {
            // SAFETY: the program is fixed for the call, in which the kernel copies it (seccomp.2).
            sock_fprog filter = new() { len = (ushort)program.Length, filter = instructions };
            Assert.Equal(0, prctl(SetNoNewPrivileges, 1, null, 0, 0));
            Assert.Equal(0, prctl(SetSeccomp, FilterMode, &filter, 0, 0));
        }
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int prctl(int option, nint first, void* second, nint third, nint fourth);
}
