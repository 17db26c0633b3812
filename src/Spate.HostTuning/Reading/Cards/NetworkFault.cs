using System.Runtime.InteropServices;

namespace Spate.HostTuning.Reading.Cards;

/// <summary>What the kernel answers to a change of an interface that it does not make.</summary>
internal static class NetworkFault
{
    private const int OperationNotPermitted = 1;
    private const int PermissionDenied = 13;

    public static Exception Of(int error, string name)
    {
        string text = Marshal.GetPInvokeErrorMessage(error);
        return error is OperationNotPermitted or PermissionDenied
            ? new UnauthorizedAccessException($"{name}: {text}: this needs root, or the capability CAP_NET_ADMIN")
            : new IOException($"{name}: the kernel or the driver refuses: {text}");
    }
}
