namespace Geo;

/// <summary>Limits that hold for every conditional store; a store may state tighter ones for values.</summary>
public static class StoreLimits
{
    /// <summary>The longest key, in characters.</summary>
    public const int MaxKeyLength = 1024;

    /// <summary>Checks a key.</summary>
    /// <exception cref="ArgumentException">The key is empty or longer than <see cref="MaxKeyLength"/>.</exception>
    public static void CheckKey(string key)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        if (key.Length > MaxKeyLength)
        {
            throw new ArgumentException(
                $"A key of {key.Length} characters was given; a conditional store takes at most {MaxKeyLength}.", nameof(key));
        }
    }
}
