using System.Globalization;

namespace Geo.Embedded;

/// <summary>How long a call of the method waits for its answer, in place of the silo's or client's own time-out.</summary>
/// <param name="timeout">
/// A time span as text, such as <c>00:00:05</c> for five seconds; more than 0 and at most 365 days, which is checked at start. A call that
/// goes to another process ends after 49 days at the latest.
/// </param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ResponseTimeoutAttribute(string timeout) : Attribute
{
    /// <summary>The time-out.</summary>
    public TimeSpan Timeout { get; } = TimeSpan.Parse(timeout, CultureInfo.InvariantCulture);
}
