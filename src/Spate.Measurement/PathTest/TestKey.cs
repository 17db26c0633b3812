using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Spate.Measurement.PathTest;

/// <summary>
/// A secret that both ends of a test know. It proves that a request, its answer and every flow come from somebody with
/// the same key. It encrypts nothing, and neither data nor what is said after the handshake is covered by it.
/// </summary>
internal sealed class TestKey
{
    public const int MinBytes = 16;

    public const int MaxBytes = 1024;

    internal const int TagBytes = HMACSHA256.HashSizeInBytes;

    // The longest input: the name of a message, two nonces, a token, a number, and a body.
    private const int MaxInputBytes = 32 + (2 * AddressCookies.NonceBytes) + 16 + ControlMessage.MaxBytes;

    private readonly byte[] _key;

    /// <summary>Copies the secret. Throws <see cref="PlatformNotSupportedException"/> without OpenSSL.</summary>
    public TestKey(ReadOnlySpan<byte> secret)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(secret.Length, MinBytes, nameof(secret));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(secret.Length, MaxBytes, nameof(secret));
        OpenSslLibrary.Require("A key");
        _key = secret.ToArray();
    }

    /// <summary>Zeros without a key. The name tells tags apart; only the last part may vary in length.</summary>
    internal static void Write(TestKey? key, ReadOnlySpan<byte> name, ReadOnlySpan<byte> parts, Span<byte> tag)
    {
        if (key is null)
        {
            tag[..TagBytes].Clear();
            return;
        }

        Span<byte> input = stackalloc byte[MaxInputBytes];
        name.CopyTo(input);
        parts.CopyTo(input[name.Length..]);
        HMACSHA256.HashData(key._key, input[..(name.Length + parts.Length)], tag);
    }

    /// <summary>Whether a tag is that of the key; without a key every tag is.</summary>
    internal static bool IsRight(
        TestKey? key, ReadOnlySpan<byte> name, ReadOnlySpan<byte> parts, ReadOnlySpan<byte> tag)
    {
        if (key is null) return true;

        Span<byte> right = stackalloc byte[TagBytes];
        Write(key, name, parts, right);
        return CryptographicOperations.FixedTimeEquals(right, tag);
    }
}

/// <summary>Tells before .NET does, which ends the process, that OpenSSL's library is missing.</summary>
internal static class OpenSslLibrary
{
    // As .NET looks for it (opensslshim.c): the version of the variable first, then the known ones.
    private static readonly string[] Versions = ["3", "1.1", "1.0.2", "1.0.0", "10"];

    /// <exception cref="PlatformNotSupportedException">It is missing; the message says what to do.</exception>
    public static void Require(string purpose)
    {
        if (!OperatingSystem.IsLinux()) return;

        string? wanted = Environment.GetEnvironmentVariable("CLR_OPENSSL_VERSION_OVERRIDE");
        IEnumerable<string> versions = string.IsNullOrEmpty(wanted) ? Versions : [wanted, .. Versions];
        foreach (string version in versions)
        {
            if (NativeLibrary.TryLoad($"libssl.so.{version}", out _)) return;
        }

        throw new PlatformNotSupportedException(
            $"{purpose} needs the library of OpenSSL, libssl.so.3, which is missing: install it (package libssl3), or "
            + "leave the key out at both ends");
    }
}
