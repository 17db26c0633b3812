using System.Runtime.InteropServices;
using Spate.StandIn;

/// <summary>
/// The runtime calls <see cref="Initialize"/> before the program's Main, if DOTNET_STARTUP_HOOKS names this assembly by
/// its path.
/// </summary>
#pragma warning disable MA0047 // The runtime wants the name outside any namespace.
internal static class StartupHook
#pragma warning restore MA0047
{
    /// <summary>Leads to the stand-in what Spate and the runtime's sockets import, if there is one.</summary>
    public static void Initialize()
    {
        if (!WinsockModel.IsNamed) return;
        NativeLibrary.SetDllImportResolver(typeof(StartupHook).Assembly, WinsockModel.Find);

        // The runtime's sockets too: Spate's are closed and get some of their options by them.
        WinsockModel.Lead("System.Net.Sockets");
        WinsockModel.Lead("Spate");
    }
}
