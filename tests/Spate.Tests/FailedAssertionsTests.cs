namespace Spate.Tests;

public sealed class FailedAssertionsTests
{
    [Fact]
    public void Fail_MessageOfSeveralLines_IsOneLineWithItsPlace()
    {
        using var output = new StringWriter();
        using var listener = new FailedAssertions(output);

        listener.Fail("a > b", "first\nsecond");

        string place = $"{nameof(FailedAssertionsTests)}.{nameof(Fail_MessageOfSeveralLines_IsOneLineWithItsPlace)}";
        Assert.Equal($"Debug.Assert failed: a > b first second (in {place}){Environment.NewLine}", output.ToString());
    }
}
