namespace Geo.Testing;

/// <summary>
/// A simulation failed: it escaped its thread, never ended, or broke an invariant. The message says which and how to replay it.
/// </summary>
/// <param name="message">What happened and how to replay it.</param>
/// <param name="innerException">The cause, if another exception is.</param>
public sealed class SimulationException(string message, Exception? innerException = null) : Exception(message, innerException);
