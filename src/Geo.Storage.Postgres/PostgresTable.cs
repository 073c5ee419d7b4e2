using Npgsql;

namespace Geo.Storage.Postgres;

/// <summary>Sees to it that the table is there and is one of this form, once.</summary>
internal sealed class PostgresTable(NpgsqlDataSource source, PostgresStatements statements, string table)
{
    private volatile bool _isReady;

    /// <exception cref="GeoConfigurationException">The table is something else, or of another form. It was not changed.</exception>
    public async ValueTask EnsureAsync(CancellationToken cancellationToken)
    {
        if (_isReady)
        {
            return;
        }

        await using var connection = await source.OpenConnectionAsync(cancellationToken);
        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
        await ExecuteAsync(connection, statements.Lock, cancellationToken);
        await using var find = new NpgsqlCommand(statements.FindMark, connection);
        switch (await find.ExecuteScalarAsync(cancellationToken))
        {
            case string mark when mark != PostgresStatements.Mark:
                throw new GeoConfigurationException(
                    $"PostgreSQL table '{table}' is no store of this version of Geo (its comment is '{mark}'); name another table.");
            case null or DBNull:
                await ExecuteAsync(connection, statements.Create, cancellationToken);
                break;
        }

        await transaction.CommitAsync(cancellationToken);
        _isReady = true;
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
