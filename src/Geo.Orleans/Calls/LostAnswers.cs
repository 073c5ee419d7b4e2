using System.Text.RegularExpressions;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Tells the calls that Orleans ends without an answer, because their time is up, their silo is gone or their message was rejected, from
/// those that a grain ends with an exception of the same type, its own or that of a call that it made.
/// </summary>
/// <remarks>
/// Orleans makes its exceptions where the call was made and throws them there first. One of a grain was thrown through the request that
/// ran on the grain, and its trace, which travels with it, says so.
/// </remarks>
internal static partial class LostAnswers
{
    /// <summary>True when Orleans has ended a call, which may have run.</summary>
    /// <param name="exception">What the call ended with; null for an answer.</param>
    /// <param name="request">
    /// The call, which its caller may have cancelled; Orleans cancels those that have waited too long by itself.
    /// </param>
    /// <param name="requests">Through how many requests it was thrown where the call was made.</param>
    public static bool Is(Exception? exception, IInvokable request, int requests = 0) =>
        (exception is TimeoutException or OrleansMessageRejectionException
            || (exception is OperationCanceledException && !request.GetCancellationToken().IsCancellationRequested))
        && RequestFrame.Count(exception.StackTrace ?? "") <= requests;

    /// <summary>What the caller of a single-instance grain is told.</summary>
    public static GeoOutcomeUnknownException Tell(Exception lost, IInvokable request, GrainId grain) => new(
        $"The call of {request.GetActivityName()} on '{grain}' had no answer ({lost.Message}); it may have run. Read before trying again.",
        lost);

    [GeneratedRegex(@"Request(`\d+)?\.(Complete)?Invoke", RegexOptions.CultureInvariant)]
    private static partial Regex RequestFrame { get; }
}
