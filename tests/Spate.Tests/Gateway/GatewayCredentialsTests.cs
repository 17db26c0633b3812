using Spate.Gateway;

namespace Spate.Tests.Gateway;

public sealed class GatewayCredentialsTests : IDisposable
{
    private const string Secret = "s3cr3t'\u00e9";

    private static readonly GatewayTarget Own = GatewayTarget.Parse("amqp://localhost");
    private static readonly GatewayTarget Other = GatewayTarget.Parse("amqp://broker");

    private readonly string _path = Path.GetTempFileName();

    public void Dispose() => File.Delete(_path);

    [Fact]
    public void Read_File_LineEndDoesNotCountAndNothingShowsThePassword()
    {
        File.WriteAllText(_path, Secret + "\r\n");
        GatewayCredentials read = GatewayCredentials.Read(Other, "me", _path, static _ => "other")!;

        Assert.Equal(("me", Secret), (read.User, read.Password));
        Assert.Equal("me", read.ToString());
    }

    [Fact]
    public void Read_NoFile_VariableElseGuestForTheLoopbackAlone()
    {
        Assert.Equal(Secret, GatewayCredentials.Read(Other, "me", null, static _ => Secret)!.Password);
        Assert.Equal("guest", GatewayCredentials.Read(Own, null, null, static _ => null)!.Password);
        Assert.Null(GatewayCredentials.Read(GatewayTarget.Discard, null, null, static _ => null));
        AssertRefused("a password is required", () => GatewayCredentials.Read(Other, null, null, static _ => null));
        AssertRefused("a password is required", () => GatewayCredentials.Read(Own, "me", null, static _ => ""));
    }

    [Theory]
    [InlineData(0, "holds 0 bytes")]
    [InlineData(GatewayCredentials.MaxBytes + 1, "holds 256 bytes")]
    [InlineData(1_000_000, "bytes: expected 1 to 255")]
    public void Read_FileOfWrongSize_IsRefused(int bytes, string expected)
    {
        File.WriteAllText(_path, new string('p', bytes));
        AssertRefused(expected, () => GatewayCredentials.Read(Other, "me", _path, static _ => null));
    }

    [Fact]
    public void Read_NoTextOrNoFile_IsRefusedWithoutItsBytes()
    {
        File.WriteAllBytes(_path, [(byte)'a', 0xC3, 0x28]);
        AssertRefused("it is not UTF-8 text", () => GatewayCredentials.Read(Other, "me", _path, static _ => null));
        AssertRefused(
            "cannot be read", () => GatewayCredentials.Read(Other, "me", "/none/\u001b[2J", static _ => null));
    }

    [Fact]
    public void Read_PasswordWithANul_IsRefused()
    {
        // It would end the password for the broker (RFC 4616).
        File.WriteAllText(_path, Secret + "\0x");
        AssertRefused("has a NUL", () => GatewayCredentials.Read(Other, "me", _path, static _ => null));
    }

    private static void AssertRefused(string expected, Func<object?> read)
    {
        GatewayException refusal = Assert.Throws<GatewayException>(() => { read(); });
        Assert.Contains(expected, refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(refusal.Message, static character => character is < ' ' or > '~');
    }
}
