using System.Runtime.InteropServices;

namespace Spate.Cli.Shell.Terminal;

/// <summary>The size of a terminal in characters.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct TerminalSize(int Columns, int Rows)
{
    private const int UsualColumns = 80;
    private const int UsualRows = 24;

    /// <summary>The size of the console; 80 x 24 where the system does not tell.</summary>
    public static TerminalSize Read()
    {
        try
        {
            int columns = Console.WindowWidth;
            int rows = Console.WindowHeight;
            return new TerminalSize(columns > 0 ? columns : UsualColumns, rows > 0 ? rows : UsualRows);
        }
        catch (Exception fault) when (fault is IOException or PlatformNotSupportedException)
        {
            return new TerminalSize(UsualColumns, UsualRows);
        }
    }
}
