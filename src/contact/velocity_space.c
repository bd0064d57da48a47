#include "contact/velocity_space.h"

#include "contact/velocity_rows.h"
#include "contact/velocity_system.h"

#include <string.h>

/* What is left of the guess's residual at most: a guess that would do is still made better, since what guesses leave is
 * not at random and would add up over steps. */
static const double leftOfGuess = 0.1;

/* Of what forces do in a step, how much is rest: what is right to this share of it need not be right to a share of
 * itself. */
static const double resting = 0.1;

/* What is left of a round's residual at most: its impulses are not the last ones. */
static const double leftOfRound = 0.1;

static void open_body(lbVelocitySpace* space, int i) {
    space->bodies[i]->ops->openBlock(space->bodies[i], &space->blocks[i]);
}

/* Matrices have S on both sides of  A dv = b; b is given back its part. */
static void close_body(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    space->bodies[i]->ops->closeBlock(space->bodies[i], block);
    for (int k = space->firstSides[i]; k < space->firstSides[i + 1]; ++k) {
        bool first = space->sides[k] >= 0;
        const lbRow* row = &space->rows[space->live[first ? space->sides[k] : ~space->sides[k]]];
        if (first ? row->inMatrixA : row->inMatrixB) {
            lbVec3 start = first ? row->startA : row->startB;
            lbVec3 back = lb_resist_row(row, row->normalFirst, row->slideFirst, start);
            lb_side_scatter(first ? &row->a : &row->b, back, block->b);
        }
    }
    space->bodies[i]->ops->project(space->bodies[i], block->b);
}

/* b.z, the size of what forces do, as the preconditioner weighs it. */
static void weigh_forces(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    memcpy(block->r, block->b, 4 * (size_t)block->count * sizeof(float));
    lb_precondition_velocity_body(space, i);
}

/* What residuals are small beside: forces, and the momentum that contacts will stop. Their resistances must not count:
 * they are far larger than what they come to, and errors of impulses with them. */
static double find_scale(lbVelocitySpace* space) {
    double scale = lb_precondition_velocities(space, weigh_forces), stopped = 0;
    for (int i = 0; i < space->rowCount; ++i) {
        const lbRow* row = &space->rows[i];
        double answer = (double)lb_whole_answer(space, row);
        if (row->active && answer > 0) {
            lbVec3 lack = vec3_sub(row->wanted, vec3_sub(row->startA, row->startB));
            double speed = row->isHold ? (double)vec3_length(lack) : (double)vec3_dot(row->normal, lack);
            stopped += speed * speed / answer;
        }
    }
    return scale + stopped;
}

/* m/s: how much velocities change in the step, root mean square, from what the system's residual is without it. */
static double change_of(const lbVelocitySpace* space, double whole) {
    double mass = 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        mass += space->bodies[i]->mass;
    }
    return mass > 0 ? sqrt(whole / mass) : 0;
}

static void zero_guess(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    for (size_t k = 0; k < 4 * (size_t)block->count; ++k) { /* kept in q while the residual without it is found */
        block->q[k] = (float)block->dv[k];
        block->dv[k] = 0;
    }
}

static void take_guess(lbVelocitySpace* space, int i) {
    lbBlock* block = &space->blocks[i];
    for (size_t k = 0; k < 4 * (size_t)block->count; ++k) {
        block->dv[k] = (double)block->q[k];
    }
}

static void drop_guess(lbVelocitySpace* space, int i) {
    memset(space->blocks[i].dv, 0, 4 * (size_t)space->blocks[i].count * sizeof(double));
}

/* Back to what they were before, for another way to solve them. */
static void forget_impulses(lbVelocitySpace* space) {
    for (int i = 0; i < space->rowCount; ++i) {
        space->rows[i].impulse = space->rows[i].guess;
    }
}

bool lb_solve_velocity_space(lbVelocitySpace* space) {
    space->solve = (lbSolve){.definite = true};
    lb_for_velocity_bodies(space, open_body);
    lb_begin_velocity_rows(space);
    lb_for_velocity_bodies(space, close_body);
    lb_factor_velocity_wholes(space);
    double scale = find_scale(space);
    lb_for_velocity_bodies(space, zero_guess);
    space->fromZero = true;
    double whole = lb_find_velocity_residual(space);
    space->fromZero = false;
    lb_for_velocity_bodies(space, take_guess);
    double rz = lb_find_velocity_residual(space);
    if (rz > whole) {
        lb_for_velocity_bodies(space, drop_guess);
        space->fromZero = true;
        rz = lb_find_velocity_residual(space);
        space->fromZero = false;
    }
    double target = fmax(fmin(whole, scale), resting * resting * scale) * space->tolerance * space->tolerance;
    space->change = change_of(space, whole);
    double aim = fmin(target, leftOfGuess * leftOfGuess * rz);
    bool solved = false, good = false;
    for (int round = 0; round < space->roundLimit; ++round) {
        bool last = good || round == space->roundLimit - 1;
        solved = lb_iterate_velocities(space, rz, last ? aim : fmax(aim, leftOfRound * leftOfRound * rz));
        bool exact = space->solve.residual <= aim, carried = space->iterationLimit < lb_fewIterations;
        if (!solved) {
            break;
        }
        if (carried) {
            lb_take_velocity_rows_out(space);
        }
        if ((good = lb_review_velocity_rows(space)) && exact) {
            break;
        }
        lb_list_velocity_sides(space);
        lb_factor_velocity_wholes(space);
        rz = carried ? lb_update_velocity_residual(space) : lb_find_velocity_residual(space);
    }
    space->solve.unfinished = !solved && space->solve.definite;
    bool found = good || !space->onlyWholes;
    if (!solved) {
        (void)lb_review_velocity_rows(space); /* impulses as they are, within their limits */
    }
    if (found) {
        lb_push_velocity_rows(space);
    } else {
        forget_impulses(space);
    }
    space->solve.residual = whole > 0 ? sqrt(space->solve.residual / whole) : 0;
    for (int i = 0; i < space->bodyCount; ++i) {
        space->bodies[i]->ops->endBlock(space->bodies[i]);
    }
    return found;
}
