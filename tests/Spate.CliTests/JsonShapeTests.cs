namespace Spate.CliTests;

public sealed class JsonShapeTests
{
    [Theory]
    [InlineData("""{"a":1}""", """{"a":2.5}""", null)]
    [InlineData("""{"a":1}""", """{"a":"1"}""", "$.a: Number, String")]
    [InlineData("""{"a":1}""", """{"b":1}""", "$.a: only in the first", "$.b: only in the second")]
    [InlineData("""{"a":[{"b":1}]}""", """{"a":[{"c":1}]}""", "$.a[].b: only in the first",
        "$.a[].c: only in the second")]
    [InlineData("""{"a":[{"b":1}]}""", """{"a":[]}""", null)]
    [InlineData("""{"a":{"b":1}}""", """{"a":null}""", null)]
    [InlineData("{\"a\":1}\n{\"b\":true}", "{\"a\":1}\n{\"b\":false}", null)]
    [InlineData("{\"a\":1}\n{\"b\":true}", "{\"a\":1}", "$.b: only in the first")]
    public void DifferencesTo_OtherKeysOrTypes_AreFound(string first, string second, params string?[]? expected) =>
        Assert.Equal(
            expected ?? [], JsonShape.Of(first).DifferencesTo(JsonShape.Of(second)), StringComparer.Ordinal);

    [Fact]
    public void Lines_OfAShape_AreKeysInTheirOrderWithTypesAndNull() => Assert.Equal(
        ["$: object", "$.b: Number|null", "$.a: array", "$.a[]: object", "$.a[].c: bool", "$.d: null"],
        JsonShape.Of("""
            {"b":1,"a":[{"c":true}],"d":null}
            {"b":null,"a":[],"d":null}
            """).Lines,
        StringComparer.Ordinal);
}
