namespace Geo;

/// <summary>Limits that hold for every conditional store; a store may state tighter ones for values.</summary>
public static class StoreLimits
{
    /// <summary>The longest key, in characters.</summary>
    public const int MaxKeyLength = 1024;

    /// <summary>Checks a key.</summary>
    /// <exception cref="ArgumentException">
    /// The key is empty, longer than <see cref="MaxKeyLength"/>, or holds half of a surrogate pair: stores keep keys as UTF-8, in which
    /// two such keys could not be told apart.
    /// </exception>
    public static void CheckKey(string key)
    {
        ArgumentException.ThrowIfNullOrEmpty(key);
        CheckPrefix(key);
    }

    /// <summary>Checks a value's length.</summary>
    /// <param name="key">The value's key.</param>
    /// <param name="length">How many bytes it has.</param>
    /// <param name="most">How many the store takes.</param>
    /// <param name="store">What store it is, as the message is to say.</param>
    /// <param name="name">Its name, if it has one.</param>
    /// <exception cref="GeoStorageException">
    /// It has more; <see cref="GeoStorageException.MaxValueBytes"/> says how many it may have.
    /// </exception>
    public static void CheckValue(string key, int length, int most, string store, string? name = null)
    {
        if (length > most)
        {
            var named = name is null ? store : $"{store} '{name}'";
            throw new GeoStorageException($"The value for '{key}' has {length} bytes; {named} takes at most {most} a value.")
            {
                MaxValueBytes = most,
            };
        }
    }

    /// <summary>Checks the prefix of a list: as a key, but it may be empty.</summary>
    /// <exception cref="ArgumentException">No key can start with it.</exception>
    public static void CheckPrefix(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (key.Length > MaxKeyLength)
        {
            throw new ArgumentException(
                $"A key of {key.Length} characters was given; a conditional store takes at most {MaxKeyLength}.", nameof(key));
        }

        for (var i = 0; i < key.Length; i++)
        {
            if (!char.IsSurrogate(key[i]))
            {
                continue;
            }

            if (i + 1 == key.Length || !char.IsSurrogatePair(key[i], key[++i]))
            {
                throw new ArgumentException(
                    $"The key has half of a surrogate pair at character {i}; a conditional store takes well-formed Unicode.", nameof(key));
            }
        }
    }
}
