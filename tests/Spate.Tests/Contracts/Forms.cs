namespace Spate.Tests.Contracts;

/// <summary>Forms as test data.</summary>
public static class Forms
{
    public static TheoryData<Form> All => [.. Enum.GetValues<Form>()];

    public static TheoryData<Form> OfOne => [.. Enum.GetValues<Form>().Where(IsOne)];

    public static TheoryData<Form> OfBatch => [.. Enum.GetValues<Form>().Where(form => !form.IsOne())];

    /// <summary>Those that wait without end.</summary>
    public static TheoryData<Form> Waiting =>
        [.. Enum.GetValues<Form>().Where(form => form is not (Form.BatchTry or Form.OneTry))];

    public static bool IsOne(this Form form) => form >= Form.One;
}
