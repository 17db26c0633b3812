using System.Net.Sockets;
using Spate.Cli;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests;

/// <summary>Whatever escapes a command: the whole tool in this process, its output throwing.</summary>
public sealed class ErrorMapperTests
{
    public static TheoryData<Exception, string> Faults { get; } = new()
    {
        { new ArgumentOutOfRangeException("dueTime", 5, message: null), "could not run: Specified argument was out of "
            + "the range of valid values" },
        { new InsufficientMemoryException(), "not enough memory" },
        { new InvalidOperationException("outer", new InsufficientMemoryException()), "not enough memory" },
        { new TypeInitializationException("System.Some", new SocketException(24)), new SocketException(24).Message },
        { new AggregateException(new IOException("disk\nfull")), "could not run: disk full" },
        { new FileNotFoundException("Could not load 'A, B'. No such file.\n"), "a part of the program could not be" },
        { new DivideByZeroException(), "could not run: Attempted to divide by zero" },
        { new PlainException(), "could not run: unexpected error" },
    };

    public static TheoryData<Exception, string?> Remedies { get; } = new()
    {
        { new SocketException((int)SocketError.AddressAlreadyInUse), DocsAnchor.BusyPort },
        { new SocketException((int)SocketError.AccessDenied), DocsAnchor.NoSuchAddress },
        { new SocketException((int)SocketError.TooManyOpenSockets), DocsAnchor.Descriptors },
        { new AggregateException(new SocketException((int)SocketError.ConnectionRefused)), DocsAnchor.ClosedPort },
        { new BenchException("few", new SocketException((int)SocketError.TooManyOpenSockets)), DocsAnchor.Descriptors },
        { new PlatformNotSupportedException("not here."), DocsAnchor.NotSupported },
        { new InsufficientMemoryException(), DocsAnchor.Memory },
        { new FileNotFoundException("gone"), DocsAnchor.Incomplete },
        { new IOException("disk full"), DocsAnchor.Output },
        { new DivideByZeroException(), DocsAnchor.None },
    };

    [Theory, MemberData(nameof(Faults), DisableDiscoveryEnumeration = true)]
    public void Run_CommandThrows_IsOneLineWithoutTypesAndExitCodeThree(Exception fault, string expected)
    {
        using var error = new StringWriter();
        using var output = new ThrowingWriter(fault);

        int exitCode = CommandLine.Run(["info"], new Streams { Output = output, Error = error });

        string line = Assert.Single(error.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith($"spate: {expected}", line, StringComparison.Ordinal);
        Assert.DoesNotContain("Exception", line, StringComparison.Ordinal);
        Assert.DoesNotContain("\\u", line, StringComparison.Ordinal);
        Assert.DoesNotContain("Parameter", line, StringComparison.Ordinal);
        Assert.Equal(3, exitCode);
    }

    [Theory, MemberData(nameof(Remedies), DisableDiscoveryEnumeration = true)]
    public void Of_FaultWithARemedy_NamesItsHeadingAtTheEnd(Exception fault, string? anchor)
    {
        string message = ErrorMapper.Of(fault).Message;

        if (anchor is null) Assert.DoesNotContain("spate explain", message, StringComparison.Ordinal);
        else Assert.EndsWith($" ({anchor})", message, StringComparison.Ordinal);
    }

    private sealed class PlainException : Exception;

    private sealed class ThrowingWriter(Exception fault) : StringWriter
    {
        public override void Write(string? value) => throw fault;
    }
}
