namespace Spate.Cli.Bench.Throughput.Peers;

/// <summary>Another program that measures UDP throughput, with its arguments and the parser of its output.</summary>
internal abstract class PeerProgram
{
    /// <summary>The name of the row and of the executable.</summary>
    public abstract string Name { get; }

    /// <summary>Null if it is not installed.</summary>
    public string? ExecutablePath => field ??= FindOnPath(Name);

    public string? UnavailableReason =>
        ExecutablePath is null ? $"{Name} is not installed; install it to have it in the table." : null;

    /// <summary>Whether the server waits for the client on a TCP port; otherwise it waits on a UDP port.</summary>
    public abstract bool ControlsOverTcp { get; }

    /// <summary>Whether the server runs until SIGINT and then prints its count.</summary>
    public virtual bool EndsOnInterrupt => false;

    public abstract string[] ServerArguments(PeerSetup setup);

    /// <summary>The arguments of the client, which sends for <see cref="PeerSetup.Seconds"/>.</summary>
    public abstract string[] ClientArguments(PeerSetup setup);

    /// <summary>Null if the output is not as expected.</summary>
    public abstract PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup);

    /// <summary>The error message in the output; null if there is none.</summary>
    public virtual string? DescribeFailure(string clientOutput) => null;

    private static string? FindOnPath(string name)
    {
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(
            Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string fileName = OperatingSystem.IsWindows() ? name + ".exe" : name;
        return folders.Select(folder => Path.Combine(folder, fileName)).FirstOrDefault(File.Exists);
    }
}

/// <summary>The settings of a run of another program.</summary>
/// <param name="Seconds">How long the client sends; these programs take whole seconds.</param>
/// <param name="DataPort">Another free port, for programs that use one port for control and one for data.</param>
/// <param name="BufferBytes">The socket buffer that the system grants without force.</param>
internal sealed record PeerSetup(
    int SizeBytes, int Seconds, int ControlPort, int DataPort, int BufferBytes, CpuPlacement Placement);

/// <summary>The figures that another program printed. CPU time is in percent of one CPU, null if not printed.</summary>
internal sealed record PeerFigures(
    long Sent, long Received, double Seconds, double? SenderCpuPercent = null, double? ReceiverCpuPercent = null)
{
    /// <summary>Figures that these programs do not print are null.</summary>
    public BenchRow ToRow(string name, int sizeBytes)
    {
        double rate = Received / Seconds;
        return new BenchRow
        {
            Name = name,
            SizeBytes = sizeBytes,
            DatagramsPerSecond = rate,
            BitsPerSecond = rate * sizeBytes * 8,
            LostPercent = Sent > 0 ? Math.Clamp(100.0 * (Sent - Received) / Sent, 0, 100) : 0,
            SendNanosecondsPerDatagram = PerDatagram(SenderCpuPercent, Sent),
            ReceiveNanosecondsPerDatagram = PerDatagram(ReceiverCpuPercent, Received),
            AllocatedBytesPerDatagram = null,
            Gen0Collections = null,
            DatagramsPerCall = null,
            SpreadPercent = 0,
            Samples = [rate],
        };
    }

    private double? PerDatagram(double? cpuPercent, long datagrams) =>
        cpuPercent is double percent && datagrams > 0 ? percent / 100 * Seconds * 1e9 / datagrams : null;
}

/// <summary>Every other program that the bench knows.</summary>
internal static class PeerPrograms
{
    public static IReadOnlyList<PeerProgram> All { get; } = [new Iperf3Program(), new Nuttcp(), new Sockperf()];
}
