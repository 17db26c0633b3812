using System.Text;
using Spate.Gateway.Escaping;

namespace Spate.Gateway;

/// <summary>
/// The user and the password for a broker. The password leaves this object towards the broker only: it is in no
/// message, no log line and no report. Immutable; any thread may use it.
/// </summary>
public sealed class GatewayCredentials
{
    /// <summary>The environment variable with the password, where no file is named.</summary>
    public const string PasswordVariable = "SPATE_AMQP_PASSWORD";

    /// <summary>
    /// The longest user or password, in bytes of UTF-8: 255, as in RabbitMQ's own limit of short strings.
    /// </summary>
    public const int MaxBytes = 255;

    // What a new broker has. It takes this user over the loopback only.
    private const string DefaultUser = "guest";

    /// <summary>A user with its password.</summary>
    /// <param name="user">The user, not empty.</param>
    /// <param name="password">The password; may be empty.</param>
    /// <exception cref="ArgumentException">One of them is too long, or the user is empty.</exception>
    public GatewayCredentials(string user, string password)
    {
        ArgumentException.ThrowIfNullOrEmpty(user);
        ArgumentNullException.ThrowIfNull(password);
        User = Bounded(user, "user", nameof(user));
        Password = Bounded(password, "password", nameof(password));
    }

    /// <summary>The name of the user at the broker.</summary>
    public string User { get; }

    internal string Password { get; }

    /// <summary>
    /// Reads credentials: the password from the file, else from the variable <see cref="PasswordVariable"/>. With
    /// neither, and only where every host of the target is this machine, they are those of a new broker (guest, guest).
    /// </summary>
    /// <param name="target">The broker.</param>
    /// <param name="user">The user; null for guest.</param>
    /// <param name="passwordFile">
    /// A file that holds the password and nothing else but a line end; null for none.
    /// </param>
    /// <returns>The credentials; null for <see cref="GatewayTarget.Discard"/>, which needs none.</returns>
    /// <exception cref="GatewayException">
    /// The file cannot be read, a password is needed and there is none, or it is too long. One line, without the
    /// password.
    /// </exception>
    public static GatewayCredentials? Read(GatewayTarget target, string? user = null, string? passwordFile = null) =>
        Read(target, user, passwordFile, Environment.GetEnvironmentVariable);

    /// <summary>The user alone.</summary>
    public override string ToString() => User;

    internal static GatewayCredentials? Read(
        GatewayTarget target, string? user, string? passwordFile, Func<string, string?> readVariable)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (target.IsDiscard) return null;

        string? password = passwordFile is null ? readVariable(PasswordVariable) : ReadFile(passwordFile);
        if (string.IsNullOrEmpty(password) && passwordFile is null)
        {
            bool isDefault = target.IsLoopback && (user is null || user.Equals(DefaultUser, StringComparison.Ordinal));
            password = isDefault
                ? DefaultUser
                : throw new GatewayException("a password is required for a broker on another machine, or "
                    + $"a user other than guest: give a password file, or set {PasswordVariable}");
        }

        try
        {
            return new GatewayCredentials(user ?? DefaultUser, password ?? "");
        }
        catch (ArgumentException e)
        {
            throw new GatewayException(
                $"the user is empty, or it or the password is longer than {MaxBytes} bytes or has a NUL: expected text "
                + "without one",
                e);
        }
    }

    // Some bytes more than a password and its line end may have tell a file that is too long, a device for instance.
    private static string ReadFile(string path)
    {
        try
        {
            using FileStream file = File.OpenRead(path);
            byte[] bytes = new byte[MaxBytes + 3];
            int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
            ReadOnlySpan<byte> password = bytes.AsSpan(0, length).TrimEnd("\r\n"u8);
            return password.Length is > 0 and <= MaxBytes
                ? new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(password)
                : throw new GatewayException(
                    $"the password file '{OneLine.Of(path)}' holds {password.Length} bytes: expected 1 to {MaxBytes}");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or ArgumentException
            or NotSupportedException)
        {
            // The text of a decoder's fault shows bytes of the file.
            string why = fault is DecoderFallbackException ? "it is not UTF-8 text" : OneLine.Of(fault.Message);
            throw new GatewayException($"the password file '{OneLine.Of(path)}' cannot be read: {why}", fault);
        }
    }

    private static string Bounded(string text, string what, string parameterName) =>
        Encoding.UTF8.GetByteCount(text) <= MaxBytes && !text.Contains('\0', StringComparison.Ordinal)
            ? text
            : throw new ArgumentException($"The {what} is longer than {MaxBytes} bytes, or has a NUL.", parameterName);
}
