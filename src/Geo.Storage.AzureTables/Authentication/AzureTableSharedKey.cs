namespace Geo.Storage.AzureTables;

/// <summary>The name of a storage account and one of its keys. Prefer a token credential: a key opens the whole account.</summary>
public sealed class AzureTableSharedKey
{
    /// <summary>Takes the account's name and key.</summary>
    /// <param name="account">The account's name, which requests are signed for.</param>
    /// <param name="key">The key in base64, as the portal shows it.</param>
    /// <exception cref="GeoConfigurationException">The name is empty, or the key is empty or not base64.</exception>
    public AzureTableSharedKey(string account, string key)
    {
        if (string.IsNullOrWhiteSpace(account))
        {
            throw new GeoConfigurationException("The storage account of a shared key has no name; give the account's name.");
        }

        var bytes = new byte[key?.Length ?? 0];
        if (string.IsNullOrEmpty(key) || !Convert.TryFromBase64String(key, bytes, out var length))
        {
            throw new GeoConfigurationException(
                $"The shared key of storage account '{account}' is not base64; copy it again from the account's access keys.");
        }

        (Account, Key) = (account, bytes[..length]);
    }

    /// <summary>The account's name.</summary>
    public string Account { get; }

    internal byte[] Key { get; }

    /// <summary>The account's name; never the key.</summary>
    public override string ToString() => Account;
}
