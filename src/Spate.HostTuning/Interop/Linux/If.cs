namespace Spate.HostTuning.Interop.Linux;

/// <summary><c>linux/if.h</c>: names of interfaces.</summary>
internal static class If
{
    /// <summary>Bytes of a name with its terminating NUL.</summary>
    public const int IFNAMSIZ = 16;
}
