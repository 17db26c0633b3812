namespace Spate;

/// <summary>
/// An awaited send of a batch was cancelled. The datagrams that had been sent before are sent; the others stay in the
/// batch, in order. <see cref="Result"/> has the numbers.
/// </summary>
public sealed class SendCanceledException : OperationCanceledException
{
    /// <summary>Creates the exception without a result.</summary>
    public SendCanceledException()
    {
    }

    /// <summary>Creates the exception without a result.</summary>
    /// <param name="message">The message.</param>
    public SendCanceledException(string? message)
        : base(message)
    {
    }

    /// <summary>Creates the exception without a result.</summary>
    /// <param name="message">The message.</param>
    /// <param name="innerException">The cause.</param>
    public SendCanceledException(string? message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>Creates the exception of a send that was cancelled.</summary>
    /// <param name="result">The result of the call until it was cancelled.</param>
    /// <param name="cancellationToken">The token that was cancelled.</param>
    public SendCanceledException(SendResult result, CancellationToken cancellationToken)
        : base(
            $"The send was cancelled: {result.Sent} datagrams were sent, {result.Refused} refused, "
            + $"and {result.Remaining} stay in the batch.",
            cancellationToken) => Result = result;

    /// <summary>
    /// The datagrams that the call sent and refused, and those that stay in the batch. The status shows why the call
    /// was waiting: <see cref="SendStatus.Full"/> or <see cref="SendStatus.NoBuffers"/>. It is
    /// <see cref="SendStatus.None"/> if the token was cancelled before the call, which then sent nothing.
    /// </summary>
    public SendResult Result { get; }
}
