namespace Geo.Directory;

/// <summary>What a host does because something happened to a call: forget, then wait, then step.</summary>
/// <param name="Step">What to do with the call.</param>
/// <param name="To">The cluster to send it to, for <see cref="CallStep.Carry"/>.</param>
/// <param name="Forget">
/// Not none: what any silo of this cluster remembers of the grain being there is dropped. One that does not hear of it finds out by itself.
/// </param>
/// <param name="Pause">
/// How long to wait before the step: what has moved is settled within milliseconds, and haste would use up the attempts.
/// </param>
internal readonly record struct CallEffect(CallStep Step, ClusterId To = default, ClusterId Forget = default, TimeSpan Pause = default);
