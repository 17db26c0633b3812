namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Says why a file cannot be written, for a line that names the file already.</summary>
internal static class FileFault
{
    public static string ReasonOf(string path, Exception fault)
    {
        string reason = fault.Message.TrimEnd('.');
        string named = $" : '{Path.GetFullPath(path)}'";
        return reason.EndsWith(named, StringComparison.Ordinal) ? reason[..^named.Length] : reason;
    }
}
