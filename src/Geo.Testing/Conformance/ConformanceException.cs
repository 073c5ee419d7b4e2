namespace Geo.Testing.Conformance;

/// <summary>A conformance case failed: the message says what was expected and what happened.</summary>
/// <param name="message">What was expected and what happened.</param>
/// <param name="innerException">What was thrown instead, if something was.</param>
public sealed class ConformanceException(string message, Exception? innerException = null) : Exception(message, innerException);
