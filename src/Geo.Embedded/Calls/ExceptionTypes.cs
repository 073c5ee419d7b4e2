namespace Geo.Embedded;

/// <summary>
/// The exceptions that may be created from what another process sent: a fixed list and what was declared. A name from the wire never
/// loads a type.
/// </summary>
internal sealed class ExceptionTypes
{
    private readonly Dictionary<string, Func<string, Exception?, Exception>> _constructors = new(StringComparer.Ordinal);

    public ExceptionTypes()
    {
        Add<GeoException>();
        Add<GeoConfigurationException>();
        Add<GeoOutcomeUnknownException>();
        Add<GeoSerializationException>();
        Add<GeoStorageException>();
        Add<GeoUnavailableException>();
        Add<SessionLostException>();
        Add<InconsistentStateException>();
        Add<Exception>();
        Add<ArgumentException>();
        Add<ArgumentNullException>();
        Add<ArgumentOutOfRangeException>();
        Add<ArithmeticException>();
        Add<DivideByZeroException>();
        Add<FormatException>();
        Add<IndexOutOfRangeException>();
        Add<InvalidCastException>();
        Add<InvalidOperationException>();
        Add<KeyNotFoundException>();
        Add<NotSupportedException>();
        Add<NullReferenceException>();
        Add<ObjectDisposedException>();
        Add<OperationCanceledException>();
        Add<TaskCanceledException>();
        Add<OverflowException>();
        Add<TimeoutException>();
        Add<UnauthorizedAccessException>();
        Add<IOException>();
    }

    /// <summary>Declares a type by its public constructor of message and cause, or of the message alone.</summary>
    /// <exception cref="GeoConfigurationException">It has neither.</exception>
    public void Add<TException>()
        where TException : Exception
    {
        var type = typeof(TException);
        if (type.GetConstructor([typeof(string), typeof(Exception)]) is { } full)
        {
            _constructors[type.FullName!] = (message, cause) => (TException)full.Invoke([message, cause]);
        }
        else if (type.GetConstructor([typeof(string)]) is { } plain)
        {
            _constructors[type.FullName!] = (message, _) => (TException)plain.Invoke([message]);
        }
        else
        {
            throw new GeoConfigurationException(
                $"{type.FullName} cannot cross process borders: it has no public constructor of a message, or of a message and a cause; "
                + "add one.");
        }
    }

    /// <summary>Creates an exception; a <see cref="GeoRemoteException"/> for a type that is not declared.</summary>
    public Exception Create(string typeName, string message, Exception? cause) =>
        _constructors.TryGetValue(typeName, out var construct)
            ? construct(message, cause)
            : new GeoRemoteException(typeName, message, cause);
}
