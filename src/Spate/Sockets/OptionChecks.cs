using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Spate.Sockets;

/// <summary>
/// Throws if options are invalid, before anything is opened. The checks that sockets share with servers and sessions
/// are here, so that all of them accept the same values.
/// </summary>
internal static class OptionChecks
{
    private const int MaxNameChars = 64;

    /// <summary>
    /// The longest device name. IFNAMSIZ is 16 with the final zero (linux/if.h); sock_setbindtodevice truncates longer
    /// names.
    /// </summary>
    private const int MaxDeviceNameBytes = 15;

    /// <summary>
    /// The largest buffer size: the kernel doubles the requested size and keeps the result in an int (sock_setsockopt).
    /// </summary>
    private const int MaxSocketBufferBytes = int.MaxValue / 2;

    private const UdpMetadata AllMetadata =
        UdpMetadata.LocalAddress | UdpMetadata.TrafficClass | UdpMetadata.TimeToLive | UdpMetadata.Timestamp;

    public static void Check(UdpSocketOptions options)
    {
        RequireName(options.Name, nameof(UdpSocketOptions.Name));
        ArgumentNullException.ThrowIfNull(options.TimeProvider, nameof(UdpSocketOptions.TimeProvider));
        RequireNamed(options.Backend, nameof(UdpSocketOptions.Backend));
        RequireNamed(options.Fragmentation, nameof(UdpSocketOptions.Fragmentation));
        if ((options.Metadata & ~AllMetadata) != UdpMetadata.None) Refuse(options.Metadata, nameof(options.Metadata));
        CheckBuffer(options.ReceiveBufferBytes, nameof(UdpSocketOptions.ReceiveBufferBytes));
        CheckBuffer(options.SendBufferBytes, nameof(UdpSocketOptions.SendBufferBytes));
        if (options.BindToDevice is { } device) CheckDevice(device, nameof(UdpSocketOptions.BindToDevice));
        if (options is { ReportPortUnreachable: true, ReportIcmpErrors: true })
        {
            throw new ArgumentException(
                "ReportPortUnreachable and ReportIcmpErrors are two ways to report the same errors: set one of them.",
                nameof(options));
        }
    }

    /// <summary>
    /// Throws if the name is empty, too long or has control characters, because names appear in instruments and logs.
    /// Null is allowed and means no name.
    /// </summary>
    public static void RequireName(string? text, string name)
    {
        if (text is null || (text.Length is > 0 and <= MaxNameChars && !text.Any(char.IsControl))) return;
        throw new ArgumentException(
            $"A name has 1 to {MaxNameChars} characters without control characters: leave Name null for none.", name);
    }

    public static void RequireNamed<T>(T value, string name)
        where T : struct, Enum
    {
        if (!Enum.IsDefined(value)) Refuse(value, name);
    }

    /// <summary>Throws if the value is out of its range. Null is allowed.</summary>
    /// <param name="value">The value.</param>
    /// <param name="min">The smallest allowed value.</param>
    /// <param name="max">The largest allowed value.</param>
    /// <param name="name">The name of the option or parameter.</param>
    /// <param name="remedy">The other choice, as the end of the message: <c>", or null for the default"</c>.</param>
    public static void RequireRange<T>(T? value, T min, T max, string name, string remedy = "")
        where T : struct, IComparable<T>
    {
        if (value is not { } number || (number.CompareTo(min) >= 0 && number.CompareTo(max) <= 0)) return;
        ThrowOutOfRange(number, $"{min} to {max}", name, remedy);
    }

    /// <summary>Throws if the duration is negative. It cannot be infinite either.</summary>
    public static void RequireDuration(TimeSpan value, string name)
    {
        if (value < TimeSpan.Zero) ThrowOutOfRange(value, "0 to TimeSpan.MaxValue", name, remedy: "");
    }

    /// <summary>Throws if a timeout is negative and not <see cref="Timeout.InfiniteTimeSpan"/>.</summary>
    public static void RequireTimeout(TimeSpan value, string name)
    {
        if (value >= TimeSpan.Zero || value == Timeout.InfiniteTimeSpan) return;
        throw new ArgumentOutOfRangeException(
            name, value, $"{name} must be 0 or more, or Timeout.InfiniteTimeSpan for no limit.");
    }

    /// <summary>Throws the exception for a value out of its range.</summary>
    [DoesNotReturn]
    public static void ThrowOutOfRange(object value, string range, string name, string remedy) =>
        throw new ArgumentOutOfRangeException(name, value, $"{name} must be from {range}{remedy}.");

    private static void CheckDevice(string device, string name)
    {
        bool fits = device.Length > 0 && Encoding.UTF8.GetByteCount(device) <= MaxDeviceNameBytes;
        if (fits && !device.Contains('\0', StringComparison.Ordinal)) return;
        throw new ArgumentException(
            $"The name of a device has 1 to {MaxDeviceNameBytes} bytes: leave BindToDevice null for any device.",
            name);
    }

    private static void CheckBuffer(int? bytes, string name)
    {
        if (bytes is null or (>= 1 and <= MaxSocketBufferBytes)) return;
        throw new ArgumentOutOfRangeException(
            name, bytes, $"{name} must be from 1 to {MaxSocketBufferBytes} bytes, or null for the system's.");
    }

    private static void Refuse<T>(T value, string name)
        where T : struct, Enum =>
        throw new ArgumentOutOfRangeException(
            name, value, $"{name} has no such value: use one of {string.Join(", ", Enum.GetNames<T>())}.");
}
