using System.Buffers.Binary;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Spate.CliTests;

/// <summary>
/// A client of a process's diagnostic port, as dotnet-counters is: it asks for the events of a source, and reads them
/// from the same socket (dotnet/diagnostics, documentation/design-docs/ipc-protocol.md).
/// </summary>
internal sealed class DiagnosticPort : IDisposable
{
    private const byte EventPipeCommands = 2;
    private const byte CollectTracing2 = 3;
    private const byte ServerCommands = 0xff;
    private const int HeaderBytes = 20;
    private const int BufferMebibytes = 16;
    private const int NetTraceFormat = 1;
    private const int Informational = 4;

    private static readonly byte[] Magic = Encoding.ASCII.GetBytes("DOTNET_IPC_V1\0");

    private readonly Socket _socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly List<byte> _read = [];

    private DiagnosticPort()
    {
    }

    /// <summary>Asks a process for the events of a source.</summary>
    /// <param name="processId">The process.</param>
    /// <param name="source">The event source.</param>
    /// <param name="arguments">The arguments of the source.</param>
    /// <param name="stop">Ends the wait for its answer.</param>
    public static async Task<DiagnosticPort> OpenAsync(
        int processId, string source, string arguments, CancellationToken stop)
    {
        // A process that was killed leaves its socket, and the system gives its number again.
        string name = string.Create(CultureInfo.InvariantCulture, $"dotnet-diagnostic-{processId}-*-socket");
        string path = new DirectoryInfo(Path.GetTempPath()).GetFiles(name)
            .MaxBy(static file => file.LastWriteTimeUtc)!.FullName;
        var port = new DiagnosticPort();
        try
        {
            await port._socket.ConnectAsync(new UnixDomainSocketEndPoint(path), stop);
            await port._socket.SendAsync(Request(source, arguments), stop);
            byte[] answer = new byte[HeaderBytes];
            for (int count = 0; count < answer.Length;)
            {
                int more = await port._socket.ReceiveAsync(answer.AsMemory(count), stop);
                Assert.NotEqual(0, more);
                count += more;
            }

            Assert.Equal((ServerCommands, 0), (answer[Magic.Length + 2], answer[Magic.Length + 3]));
            return port;
        }
        catch
        {
            port.Dispose();
            throw;
        }
    }

    /// <summary>Reads events until all these texts have come.</summary>
    public async Task ReadAsync(CancellationToken stop, params string[] texts)
    {
        byte[] buffer = new byte[16 * 1024];
        while (!Array.TrueForAll(texts, text => Holds([.. _read], text)))
        {
            int count = await _socket.ReceiveAsync(buffer, stop);
            Assert.NotEqual(0, count);
            _read.AddRange(buffer.AsSpan(0, count));
        }
    }

    /// <summary>Whether events hold a text, which is UTF-16 in them.</summary>
    public static bool Holds(ReadOnlySpan<byte> events, string text) =>
        events.IndexOf(Encoding.Unicode.GetBytes(text)) >= 0;

    public void Dispose() => _socket.Dispose();

    private static byte[] Request(string source, string arguments)
    {
        var payload = new MemoryStream();
        using var writer = new BinaryWriter(payload);
        writer.Write(Magic);
        writer.Write((ushort)0);
        writer.Write([EventPipeCommands, CollectTracing2, 0, 0]);
        writer.Write(BufferMebibytes);
        writer.Write(NetTraceFormat);
        writer.Write(false);
        writer.Write(1);
        writer.Write(long.MaxValue);
        writer.Write(Informational);
        foreach (string text in (string[])[source, arguments])
        {
            writer.Write(text.Length + 1);
            writer.Write(Encoding.Unicode.GetBytes(text + '\0'));
        }

        byte[] request = payload.ToArray();
        BinaryPrimitives.WriteUInt16LittleEndian(request.AsSpan(Magic.Length), (ushort)request.Length);
        return request;
    }
}
