namespace Spate.Measurement.Bench.Peers;

/// <summary>Another program that measures UDP throughput: how it is called and how its output is read.</summary>
internal abstract class PeerProgram
{
    /// <summary>Name of the row and of the executable.</summary>
    public abstract string Name { get; }

    /// <summary>Where the executable is; null when it is not installed.</summary>
    public string? ExecutablePath => field ??= FindOnPath(Name);

    /// <summary>Why the row cannot run, one line; null when it can.</summary>
    public string? UnavailableReason =>
        ExecutablePath is null ? $"{Name} is not installed; install it to have it in the table." : null;

    /// <summary>True when the server waits on a TCP port for the client, false when on a UDP port.</summary>
    public abstract bool ControlsOverTcp { get; }

    /// <summary>True for a server that serves on until SIGINT and then prints its count.</summary>
    public virtual bool EndsOnInterrupt => false;

    /// <summary>Arguments of the server.</summary>
    public abstract string[] ServerArguments(PeerSetup setup);

    /// <summary>Arguments of the client, which sends for <see cref="PeerSetup.Seconds"/>.</summary>
    public abstract string[] ClientArguments(PeerSetup setup);

    /// <summary>Reads the figures; null when the output is not what was expected.</summary>
    public abstract PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup);

    /// <summary>What went wrong, from the output of a run without figures.</summary>
    public virtual string? DescribeFailure(string clientOutput) => null;

    private static string? FindOnPath(string name)
    {
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(
            Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string fileName = OperatingSystem.IsWindows() ? name + ".exe" : name;
        return folders.Select(folder => Path.Combine(folder, fileName)).FirstOrDefault(File.Exists);
    }
}

/// <summary>What a run of another program needs to know.</summary>
/// <param name="SizeBytes">Payload bytes of every datagram.</param>
/// <param name="Seconds">How long it sends; whole seconds, as these programs want.</param>
/// <param name="ControlPort">A free port that the server listens on.</param>
/// <param name="DataPort">Another free port, for programs that separate the two.</param>
/// <param name="BufferBytes">Socket buffer that the system grants without force.</param>
/// <param name="Placement">CPUs of both ends.</param>
internal sealed record PeerSetup(
    int SizeBytes, int Seconds, int ControlPort, int DataPort, int BufferBytes, CpuPlacement Placement);

/// <summary>What another program told.</summary>
/// <param name="Sent">Datagrams sent.</param>
/// <param name="Received">Datagrams received.</param>
/// <param name="Seconds">How long it sent.</param>
/// <param name="SenderCpuPercent">CPU of the sending process in per cent of one CPU; null when not told.</param>
/// <param name="ReceiverCpuPercent">The same of the receiving process.</param>
internal sealed record PeerFigures(
    long Sent, long Received, double Seconds, double? SenderCpuPercent = null, double? ReceiverCpuPercent = null)
{
    /// <summary>The row; what these programs cannot tell stays null.</summary>
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
    public static IReadOnlyList<PeerProgram> All { get; } = [new Iperf3(), new Nuttcp(), new Sockperf()];
}
